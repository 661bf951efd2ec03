/* Reads by io_uring: what the kernel puts off is started later, and what it will not start comes back to be read
 * otherwise; nothing waits for ever. The kernel's answers are ours where the test says so. */
#include "tests/unit.h"
#include "workloads/applications/duplicates/block_reads.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READS 8
#define BYTES 16
#define LOOKS_MAX 10000000 /* a minute or so of waiting for the kernel */

struct io_uring;
int io_uring_submit(struct io_uring *);

static int answer;        /* instead of the kernel's: -errno; 0: the kernel's own */
static unsigned so_often; /* before the kernel is asked again */

int io_uring_submit(struct io_uring *uring) {
    static int (*kernel)(struct io_uring *);
    if (so_often > 0) {
        so_often--;
        return answer;
    }
    if (!kernel)
        *(void **)&kernel = dlsym(RTLD_NEXT, "io_uring_submit");
    return kernel(uring);
}

/* A file of READS blocks, each of its own number, and a ring; the test is skipped where there is no ring. */
struct fixture {
    struct ring *ring;
    struct block_read reads[READS];
    unsigned char blocks[READS][BYTES];
    int file;
};

static void set_up(struct fixture *fixture) {
    char name[] = "/tmp/block-reads-XXXXXX";
    memset(fixture, 0, sizeof *fixture);
    if (ring_open(&fixture->ring, READS) != 0)
        skip();
    fixture->file = mkstemp(name);
    assert_true(fixture->file >= 0 && unlink(name) == 0);
    for (unsigned i = 0; i < READS; i++) {
        unsigned char block[BYTES];
        memset(block, (int)i + 1, sizeof block);
        assert_int_equal(write(fixture->file, block, sizeof block), BYTES);
        fixture->reads[i] = (struct block_read){
            .descriptor = fixture->file, .bytes = BYTES, .offset = i * BYTES, .to = fixture->blocks[i], .result = -1};
    }
}

static void tear_down(struct fixture *fixture) {
    ring_close(fixture->ring);
    close(fixture->file);
    so_often = 0;
}

static void ask(struct fixture *fixture, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++)
        assert_true(ring_ask(fixture->ring, &fixture->reads[i]));
}

/* Looks until so many have come back. */
static void collect(struct fixture *fixture, unsigned count) {
    struct block_read *done[READS];
    unsigned got = 0;
    for (unsigned looks = 0; got < count && looks < LOOKS_MAX; looks++)
        got += ring_look(fixture->ring, done, READS);
    assert_int_equal(got, count);
}

static void assert_read(const struct fixture *fixture, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++) {
        assert_int_equal(fixture->reads[i].result, BYTES);
        assert_int_equal(fixture->blocks[i][BYTES - 1], i + 1);
    }
}

TEST(what_is_put_off_is_read_later) {
    static const int reasons[] = {-EAGAIN, -EBUSY, -EINTR};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct fixture fixture;
        set_up(&fixture);
        answer = reasons[i];
        so_often = 100;
        ask(&fixture, 0, READS);
        assert_false(ring_ask(fixture.ring, &fixture.reads[0])); /* full */
        collect(&fixture, READS);
        assert_read(&fixture, 0, READS);
        assert_int_equal(ring_error(fixture.ring), 0);
        tear_down(&fixture);
    }
}

/* Those that were started before are read by the ring all the same. */
TEST(what_is_refused_comes_back) {
    static const int reasons[] = {-EPERM, -EBADF, -ENOMEM};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct fixture fixture;
        struct block_read *done[READS];
        set_up(&fixture);
        ask(&fixture, 0, 3);
        unsigned before = ring_look(fixture.ring, done, 1);
        answer = reasons[i];
        so_often = UINT32_MAX;
        ask(&fixture, 3, 6);
        collect(&fixture, 6 - before);
        assert_read(&fixture, 0, 3);
        for (unsigned read = 3; read < 6; read++)
            assert_int_equal(fixture.reads[read].result, -ECANCELED);
        assert_int_equal(ring_error(fixture.ring), -reasons[i]);
        assert_false(ring_ask(fixture.ring, &fixture.reads[6]));
        tear_down(&fixture);
    }
}

TEST(what_is_put_off_for_ever_comes_back) {
    struct fixture fixture;
    set_up(&fixture);
    answer = -EAGAIN;
    so_often = UINT32_MAX;
    ask(&fixture, 0, READS);
    collect(&fixture, READS);
    for (unsigned i = 0; i < READS; i++)
        assert_int_equal(fixture.reads[i].result, -ECANCELED);
    assert_int_equal(ring_error(fixture.ring), EAGAIN);
    tear_down(&fixture);
}

/* The answers of pread: a part of a block, the end of the file, an unreadable file. */
TEST(a_read_ends_as_the_file_says) {
    struct fixture fixture;
    struct block_read *done[READS];
    set_up(&fixture);
    assert_int_equal(ring_look(fixture.ring, done, READS), 0); /* nothing was asked for */
    fixture.reads[1].offset = READS * BYTES - 5;
    fixture.reads[2].offset = READS * BYTES;
    fixture.reads[3].descriptor = -1;
    ask(&fixture, 0, 4);
    collect(&fixture, 4);
    assert_read(&fixture, 0, 1);
    assert_int_equal(fixture.reads[1].result, 5);
    assert_int_equal(fixture.reads[2].result, 0);
    assert_int_equal(fixture.reads[3].result, -EBADF);
    tear_down(&fixture);
}

/* The circle of those that wait goes round. */
TEST(a_ring_serves_many_reads) {
    struct fixture fixture;
    set_up(&fixture);
    for (unsigned round = 0; round < 100; round++) {
        const unsigned from = round % READS, to = from + 1 + round % (READS - from);
        memset(fixture.blocks, 0, sizeof fixture.blocks);
        answer = -EBUSY;
        so_often = round % 3;
        ask(&fixture, from, to);
        collect(&fixture, to - from);
        assert_read(&fixture, from, to);
    }
    tear_down(&fixture);
}

int main(void) { return unit_tests_run(NULL, NULL); }
