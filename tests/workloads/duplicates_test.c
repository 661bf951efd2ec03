/* The right answer of a search for duplicates: what is planned is what the bytes say. */
#include "tests/unit.h"
#include "workloads/applications/duplicates/duplicate_answer.h"
#include <sys/stat.h>

#define FILES 120
#define BYTES 400000

/* By comparing every file with every other. A content's last 8 bytes differ from its twin's. */
TEST(the_planned_answer_is_that_of_the_bytes) {
    struct planned_files planned;
    struct duplicates_found answer, found = {0};
    unsigned char *bytes[FILES];
    uint64_t total = 0;
    unsigned twins = 0;
    assert_int_equal(duplicates_plan(&planned, &answer, FILES, BYTES, 11), 0);
    for (uint32_t i = 0; i < FILES; i++) {
        const uint64_t size = planned.of[i].size;
        FILE *file = tmpfile();
        bytes[i] = malloc(size);
        assert_true(file && bytes[i]);
        assert_int_equal(duplicates_write(&planned, fileno(file), i), 0);
        rewind(file);
        assert_int_equal(fread(bytes[i], 1, size, file), size);
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
        total += size;
        unsigned before = 0;
        for (uint32_t j = 0; j < i; j++) {
            if (planned.of[j].size != size)
                continue;
            const bool alike = memcmp(bytes[i], bytes[j], size) == 0;
            before += alike;
            twins += !alike && memcmp(bytes[i], bytes[j], size - 8) == 0;
        }
        found.groups += before == 1;
        found.files += before > 0;
        found.bytes += before > 0 ? size : 0;
    }
    assert_memory_equal(&found, &answer, sizeof found);
    assert_int_equal(found.files, FILES * 30 / 100);
    assert_true(twins >= 3);
    assert_int_equal(total, planned.bytes);
    assert_in_range(total, BYTES * 98 / 100, BYTES * 102 / 100);
    for (uint32_t i = 0; i < FILES; i++)
        free(bytes[i]);
    free(planned.of);
}

int main(void) { return unit_tests_run(NULL, NULL); }
