/* plan_test.c: descriptions read, suites expanded to cells and groups, and cells' identities. */
#include "harness/driver/record/record.h"
#include "tests/harness/refusal.h"

#define COMMON                                                                                                         \
    "parameter\t*\tseed\tinteger\t1\t1\t4294967295\t-\t-\tstart\n"                                                     \
    "workload\tpush\t1\tpushes\n"                                                                                      \
    "parameter\tpush\tbatch\tinteger\t1\t1\t1048576\t-\titems\ttogether\n"                                             \
    "parameter\tpush\tform\tchoice\tbatch\t0\t0\tbatch|single\t-\thow\n"                                               \
    "workload\tsort\tthreads\tsorts\n"                                                                                 \
    "parameter\tsort\tthreads\tinteger\t1\t1\t1024\tall\tworkers\tworkers\n"                                           \
    "check\tstress\t1\texactly once\n"

/* The identity of array's push with every parameter at its default. */
#define IDENTITY 0xc289a334685c42ceu

static struct suite suite;
static struct catalogue_deque deques[5];
static struct catalogue_part parts[5][2]; /* the second of a deque, where a test gives it one */
static struct catalogue catalogue = {.deques = deques, .deque_count = 5};

static void describe(size_t i, const char *id, const char *fields) {
    static char executable[] = "/bin/true";
    struct text text = {0};
    text_format(&text, "stealbench-describe\t2\ndeque\tid\t%s\n%s" COMMON, id, fields);
    parts[i][0] = (struct catalogue_part){.executable = executable, .content = 1000 + i};
    assert_null(description_parse(&parts[i][0].description, text.data));
    deques[i] = (struct catalogue_deque){.id = duplicate(id), .parts = parts[i], .part_count = 1};
    deques[i].sound = strcmp(id, "wrong") != 0;
    deques[i].reference = strcmp(id, "array") == 0;
}

static int make_catalogue(void **state) {
    (void)state;
    describe(0, "array", "");
    describe(1, "chase_lev", "deque\tclassic\t1\n");
    describe(2, "bulk", "deque\tmode\twalk\nparameter\t*\twalk\tchoice\tfull\t0\t0\tfull|skip\t-\tits own\n");
    describe(3, "wrong", "deque\tfault\tloses items\n");
    describe(4, "aside", "deque\taside\t1\n");
    return 0;
}

static struct plan expand(const char *text, bool unsound) {
    suite = suite_parse("s", "s.suite", text);
    return plan_make(&suite, &catalogue, &(struct plan_filter){.unsound = unsound});
}

static void counts(const char *text, size_t cells, size_t groups) {
    struct plan plan = expand(text, false);
    assert_int_equal(plan.cell_count, cells);
    assert_int_equal(plan.group_count, groups);
}

static struct plan plan_for(const char *machine, const char *text) {
    suite = suite_parse("s", "s.suite", text);
    return plan_make(&suite, &catalogue, &(struct plan_filter){.machine = machine, .memory = 2000000000});
}

/* Of a machine with so many processors: threads=all is as many; cells that have become the same are one. */
TEST(threads_are_the_machines) {
    assert_int_equal(plan_for("core:6 pu:1", "[a]\nsort deque=array threads=1,1000\n").cell_count, 2);
    assert_int_equal(plan_for("core:6 pu:1", "[a]\nsort deque=array threads=all,6,1000\n").cell_count, 1);
    struct plan plan = plan_for("core:6 pu:1", "[a]\nsort deque=array threads=1,2,4,...,all\n");
    assert_int_equal(plan.cell_count, 4);
    assert_int_equal(plan.cells[3].threads, 6);
    assert_refused(2, "neither an XML file", plan_for("six", "[a]\nsort deque=array\n").cell_count);
}

TEST(what_needs_more_memory_is_left_out) {
    struct plan plan = plan_for(NULL, "[a]\npush deque=array\n[b]\nneeds 3G\npush deque=array batch=2\n");
    assert_int_equal(plan.cell_count, 1);
    assert_int_equal(plan.denied.bits[0], 2);
    assert_refused(3, "too little memory", plan_for(NULL, "[b]\nneeds 3G\npush deque=array\n").cell_count);
}

TEST(lines_expand_to_every_combination) {
    counts("[a]\npush\n", 3, 1);
    counts("[a]\npush batch=1,2,4 form=batch,single\n", 18, 6);
    counts("[a]\npush deque=sound batch=1,2\n", 4, 2);
    counts("[a]\npush deque=reference,array\n", 1, 1);
    counts("[a]\npush deque=all,unsound\n", 3, 1);
    counts("[a]\npush deque=classic\n", 1, 1);
    counts("[a]\npush deque=all,aside\n", 4, 1);
}

TEST(a_mode_belongs_to_its_deque_and_to_the_same_group) {
    counts("[a]\npush walk=full,skip\n", 4, 1);
    counts("[a]\npush deque=bulk batch=1,2 walk=full,skip\n", 4, 2);
}

TEST(what_is_not_built_is_left_out_of_a_file) {
    static const char *asked[] = {"absent"};
    static struct catalogue_unusable absent = {"absent", "no compiler"};
    const struct suite_key key = {.name = "deque", .values = {asked, 1}};
    struct plan_filter filter = {0};
    catalogue.absent = (struct catalogue_list){&absent, 1};
    const char *text = "[a]\npush deque=array,absent batch=1,2\npush deque=absent walk=full\n";
    struct plan plan = expand(text, false);
    assert_int_equal(plan.cell_count, 2);
    assert_int_equal(plan.left_out.count, 1);
    assert_string_equal(plan.left_out.at[0], "absent");
    plan = expand(text, false);
    filter.deques = &key;
    assert_refused(3, "absent is not built here: no compiler", plan_make(&suite, &catalogue, &filter).processors);
    catalogue.absent.count = 0;
}

TEST(equal_cells_are_measured_once) {
    counts("[a]\npush deque=array batch=1,1\npush deque=array batch=01\n", 1, 1);
    struct plan plan = expand("[a]\npush deque=array\n[b]\npush deque=array batch=1,2\n", false);
    assert_int_equal(plan.cell_count, 2);
    assert_int_equal(plan.cells[0].tags.bits[0], 3);
    assert_int_equal(plan.cells[1].tags.bits[0], 2);
    counts("[a]\npush deque=array\n[b]\nminimum_time 1\npush deque=array\n", 2, 2);
}

TEST(a_cell_knows_its_section_among_many) {
    struct text text = {0};
    for (unsigned i = 1; i <= 70; i++)
        text_format(&text, "[s%u]\npush deque=array batch=%u\n", i, i);
    struct plan plan = expand(text.data, false);
    assert_int_equal(section_first(&plan.cells[66].tags), 66);
    assert_false(section_in(&plan.cells[66].tags, 2));
}

TEST(cells_have_all_parameters) {
    struct plan plan = expand("[a]\npush deque=bulk batch=1k walk=skip\n", false);
    assert_string_equal(plan.cells[0].params, "batch=1000;form=batch;seed=1;walk=skip");
    assert_string_equal(plan.cells[0].name, "push bulk batch=1000 walk=skip");
}

static uint64_t id_of(const char *text) {
    struct plan plan = expand(text, false);
    return plan.cells[0].id;
}

/* The expected identity is fixed here: if it changes, every unfinished run starts anew. */
TEST(an_identity_is_stable_and_covers_what_matters) {
    uint64_t id = id_of("[a]\npush deque=array\n");
    assert_true(id == IDENTITY);
    assert_true(id == id_of("timeout 5\ninvocations 9\n[other] title\npush batch=1 form=batch deque=array\n"));
    assert_true(id != id_of("[a]\npush deque=array batch=2\n"));
    assert_true(id != id_of("[a]\npush deque=chase_lev\n"));
    assert_true(id != id_of("repetitions 2\n[a]\npush deque=array\n"));
    assert_true(id != id_of("minimum_time 2\n[a]\npush deque=array\n"));
    parts[0][0].content++;
    assert_true(id != id_of("[a]\npush deque=array\n"));
    parts[0][0].content--;
}

/* Gives chase_lev another executable. */
static void add_part(const char *description) {
    static char executable[] = "/bin/false";
    parts[1][1] = (struct catalogue_part){.executable = executable, .content = 77};
    assert_null(description_parse(&parts[1][1].description, description));
    deques[1].part_count = 2;
}

static void take_part(void) { deques[1].part_count = 1; }

#define FIGHT                                                                                                          \
    "workload\tfight\t1+thieves\tthey fight\n"                                                                         \
    "parameter\tfight\tthieves\tinteger\t1\t0\t64\t-\t-\thow many\n"                                                   \
    "parameter\tfight\tform\tchoice\tbatch\t0\t0\tbatch|single\t-\thow\n"

/* The workload says how many threads a cell has. */
TEST(a_workload_says_how_many_threads_a_cell_has) {
    add_part("stealbench-describe\t2\ndeque\tid\tchase_lev\n" FIGHT);
    struct plan plan = expand("[a]\nfight deque=chase_lev thieves=0,5\npush deque=chase_lev\n", false);
    assert_int_equal(plan.cells[0].threads, 1);
    assert_int_equal(plan.cells[1].threads, 6);
    assert_int_equal(plan.cells[2].threads, 1);
    assert_int_equal(value_find(plan.cells[1].values, plan.cells[1].value_count, "thieves")->integer, 5);
    take_part();
    add_part("stealbench-describe\t2\ndeque\tid\tchase_lev\nworkload\tfight\t1+robbers\tthey fight\n");
    assert_refused(3, "1+robbers", expand("[a]\nfight deque=chase_lev\n", false).processors);
    take_part();
}

/* A suite names placements for every machine; where two mean the same processors there is one cell. */
TEST(placements_that_are_the_same_here_are_one) {
    add_part("stealbench-describe\t2\ndeque\tid\tchase_lev\n" FIGHT
             "parameter\tfight\tplacement\ttext\tcompact\t0\t0\t-\t-\twhere\n");
    const char *text = "[a]\nfight deque=chase_lev thieves=0,3 placement=compact,siblings,scatter,cross-socket\n";
    assert_int_equal(plan_for("pack:1 core:4 pu:1", text).cell_count, 3); /* what it lacks is said later */
    assert_int_equal(plan_for("pack:2 core:4 pu:2", text).cell_count, 5);
    take_part();
}

/* As many layouts as are asked for and there; all that a cell may be measured in are its identity, and no others. */
TEST(layouts_are_part_of_the_identity) {
    static char *paths[] = {"/l/1", "/l/2", "/l/3"};
    uint64_t contents[] = {5, 6, 7};
    const uint64_t plain = id_of("[a]\npush deque=array\n");
    parts[0][0].layouts = paths;
    parts[0][0].layout_contents = contents;
    parts[0][0].layout_count = 3;
    assert_true(plain == id_of("[a]\npush deque=array\n"));
    const uint64_t three = id_of("[a]\nlayouts 3\npush deque=array\n");
    assert_true(three != plain && three != id_of("[a]\nlayouts 2\npush deque=array\n"));
    contents[2]++;
    assert_true(three == id_of("[a]\nlayouts 3\npush deque=array\n"));
    contents[1]++;
    assert_true(three != id_of("[a]\nlayouts 3\npush deque=array\n"));
    parts[0][0].layout_count = 0;
}

/* What --only=asked takes of a suite with the sections 5.2, 5.2-fig3, 5.2-fig4, 5.20 and fig7. */
static size_t cells_of(const char *asked) {
    const struct suite_key only = {.name = "only", .values = {&asked, 1}};
    suite = suite_parse("s", "s.suite",
                        "[5.2] a\npush deque=array batch=1\n[5.2-fig3] b\npush deque=array batch=2\n"
                        "[5.2-fig4] c\npush deque=array batch=3\n[5.20] d\npush deque=array batch=4\n"
                        "[fig7] e\npush deque=array batch=5\n");
    return plan_make(&suite, &catalogue, &(struct plan_filter){.only = &only}).cell_count;
}

TEST(only_takes_a_section_and_those_below_it) {
    assert_int_equal(cells_of("5.2"), 3);
    assert_int_equal(cells_of("5.2-fig3"), 1);
    assert_int_equal(cells_of("5.20"), 1);
    assert_int_equal(cells_of("fig7"), 1);
    assert_refused(2, "no such section", cells_of("5"));
    assert_refused(2, "no such section", cells_of("5.2-"));
    assert_refused(2, "no such section", cells_of("5.2-fig"));
}

TEST(descriptions_that_make_no_sense) {
    static const char *const wrong[] = {"",
                                        "hello\n",
                                        "stealbench-describe\t1\n",
                                        "stealbench-describe\t2\n",
                                        "stealbench-describe\t2\ndeque\tid\n",
                                        "stealbench-describe\t2\ndeque\tid\tx\nparameter\tpush\tbatch\n",
                                        "stealbench-describe\t2\ndeque\tid\tx\n"
                                        "parameter\tnone\tb\tinteger\t1\t1\t2\t-\t-\th\n",
                                        "stealbench-describe\t2\ndeque\tid\tx\n"
                                        "parameter\t*\tb\tcolour\t1\t1\t2\t-\t-\th\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct description description;
        assert_non_null(description_parse(&description, wrong[i]));
    }
}

/* What a process printed, as rows of both files; the cell is the first of a plan. */
static enum invocation_status rows_of(struct text *rows, struct text *histograms, const char *printed, bool unsound) {
    struct process process = {.end = PROCESS_EXITED, .seconds = 0.25};
    struct output output;
    const char *why;
    struct plan plan = expand("[a]\npush deque=array\n", false);
    plan.cells[0].unsound = unsound;
    text_add(&process.output, printed);
    output_read(&output, &process.output);
    return invocation_rows(rows, histograms, &plan.cells[0], 3, "n1", &process, &output, &why);
}

TEST(histograms_become_rows) {
    static const char *const wrong[] = {"histogram\tthief\t0\tsteal_latency\t10\t12\t3\n",
                                        "histogram\tthief\t0\tsteal_latency\t12\t12\t3\tns\n",
                                        "histogram\tthief\t0\tsteal_latency\t10\t12\t0\tns\n",
                                        "histogram\tthief\t0\tsteal_latency\t10\tmany\t3\tns\n",
                                        "histogram\tthief\tone\tsteal_latency\t10\t12\t3\tns\n",
                                        "histogram\tthief\t0\ta,b\t10\t12\t3\tns\n",
                                        "histogram\tthief\t0\tsteal_latency\t10\t12\t3\tns\tmore\n",
                                        "histogram\n"};
    static const char sample[] = "sample\tthief\t0\tlatency\t1.25\tns\tok\t\n";
    static const char good[] = "histogram\tthief\t0\tsteal_latency\t10.5\t12\t3\tns\n";
    struct text rows = {0}, histograms = {0}, wanted = {0};
    text_format(&wanted, "%016llx,thief,3,0,steal_latency,10.5,12,3,ns\n", (unsigned long long)IDENTITY);
    assert_int_equal(rows_of(&rows, &histograms, formatted("%s%s", good, sample), false), INVOCATION_OK);
    assert_string_equal(histograms.data, wanted.data);
    /* what was good before a line that makes no sense is not kept */
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *bad = formatted("%s%s%s", sample, good, wrong[i]);
        assert_int_equal(rows_of(&rows, &histograms, bad, false), INVOCATION_CRASHED);
        assert_string_equal(text_string(&histograms), wanted.data);
    }
}

TEST(samples_become_rows) {
    struct text rows = {0}, none = {0}, wanted = {0};
    unsigned long long id = IDENTITY;
    assert_int_equal(rows_of(&rows, &none,
                             "placement\towner:0\nvariant\t5\nsample\towner\t0\tlatency\t1.25\tns\tok\temulated\n"
                             "sample\towner\t1\tlatency\t\tns\tdenied\t\nmemory\t1024\n",
                             true),
                     INVOCATION_OK);
    const char *head = "push,array,batch=1;form=batch;seed=1,owner:0";
    text_format(&wanted, "%016llx,%s,owner,3,0,latency,1.25,ns,ok,unsound+emulated,5,n1,\n", id, head);
    text_format(&wanted, "%016llx,%s,owner,3,1,latency,,ns,denied,unsound,5,n1,\n", id, head);
    text_format(&wanted, "%016llx,%s,process,3,0,peak_memory,1024,bytes,ok,unsound,5,n1,\n", id, head);
    text_format(&wanted, "%016llx,%s,process,3,0,voluntary_context_switches,0,switches,ok,unsound,5,n1,\n", id, head);
    text_format(&wanted, "%016llx,%s,process,3,0,involuntary_context_switches,0,switches,ok,unsound,5,n1,\n", id, head);
    text_format(&wanted, "%016llx,%s,process,3,0,invocation_time,0.250000,s,ok,unsound,5,n1,\n", id, head);
    assert_string_equal(rows.data, wanted.data);
}

/* A probe before the first repetition and one after each: 27, 29, then none, 28, 105. */
TEST(rows_carry_the_distance_of_their_repetition) {
    static const char *const ends[] = {"owner,3,0,latency,1,ns,ok,,,n1,28.0\n", "owner,3,1,latency,2,ns,ok,,,n1,28.5\n",
                                       "owner,3,2,latency,3,ns,ok,,,n1,28.5\n",
                                       "owner,3,3,latency,4,ns,ok,emulated+moved,,n1,\n"};
    struct text rows = {0}, none = {0};
    assert_int_equal(rows_of(&rows, &none,
                             "distance\t27\nsample\towner\t0\tlatency\t1\tns\tok\t\n"
                             "distance\t29\nsample\towner\t1\tlatency\t2\tns\tok\t\n"
                             "distance\t\nsample\towner\t2\tlatency\t3\tns\tok\t\n"
                             "distance\t28\nsample\towner\t3\tlatency\t4\tns\tok\temulated\ndistance\t105\n",
                             false),
                     INVOCATION_OK);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        assert_non_null(strstr(rows.data, ends[i]));
    text_free(&rows);
    assert_int_equal(rows_of(&rows, &none, "distance\t\ndistance\t\nsample\towner\t0\tlatency\t1\tns\tok\t\n", true),
                     INVOCATION_OK);
    assert_non_null(strstr(rows.data, "ok,unsound+no_distance,,n1,\n"));
}

TEST(what_is_no_sample_is_no_row) {
    static const char *const wrong[] = {"",
                                        "hello\n",
                                        "sample\towner\t0\tlatency\tfast\tns\tok\t\n",
                                        "sample\towner\t0\tlatency\tnan\tns\tok\t\n",
                                        "sample\towner\t0\tlatency\t\tns\tok\t\n",
                                        "sample\towner\t0\tlatency\t1\tns\tdenied\t\n",
                                        "sample\towner\t0\tlatency\t\tns\tperhaps\t\n",
                                        "sample\towner\tone\tlatency\t1\tns\tok\t\n",
                                        "sample\towner\t0\tlatency\t1\tns\tok\n",
                                        "sample\towner\t0\tlat,ency\t1\tns\tok\t\n",
                                        "distance\t0\nsample\towner\t0\tlatency\t1\tns\tok\t\n",
                                        "sample\t\t0\tlatency\t1\tns\tok\t\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct text rows = {0}, none = {0};
        assert_int_equal(rows_of(&rows, &none, wrong[i], false), INVOCATION_CRASHED);
        assert_null(strstr(rows.data, "owner,3"));
        assert_non_null(strstr(rows.data, "invocation_time,,s,crashed,"));
    }
}

int main(void) { return unit_tests_run(make_catalogue, NULL); }
