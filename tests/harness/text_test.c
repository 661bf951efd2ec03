/* text_test.c: CSV and JSON quoting, and files replaced whole. */
#include "harness/driver/util/util.h"
#include "tests/harness/system_tree.h"

TEST(csv_comes_back_as_it_went) {
    static const char *const values[] = {"", "a b=1;c", "a,b", "\"", "\"\"", "x\"y,z", "two\nlines", "last"};
    enum { COUNT = sizeof values / sizeof values[0] };
    struct text text = {0};
    char *field[COUNT];
    text_add_row(&text, values, COUNT);
    text.data[text.length - 1] = '\0';
    assert_string_equal(text.data, ",a b=1;c,\"a,b\",\"\"\"\",\"\"\"\"\"\",\"x\"\"y,z\",\"two\nlines\",last");
    assert_int_equal(split_csv(text.data, field, COUNT), COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_string_equal(field[i], values[i]);
}

TEST(csv_with_wrong_quotes_is_refused) {
    char open[] = "a,\"b", trailing[] = "\"a\"b,c", more[] = "a,b,c";
    char *field[2];
    assert_int_equal(split_csv(open, field, 2), 0);
    assert_int_equal(split_csv(trailing, field, 2), 0);
    assert_int_equal(split_csv(more, field, 2), 3);
}

static void in_json(const char *string, const char *wanted) {
    assert_string_equal(json_dumps(json_of_text(string), JSON_ENCODE_ANY), wanted);
}

TEST(json_strings_are_always_valid) {
    in_json("a \"b\" \\c\n\t", "\"a \\\"b\\\" \\\\c\\n\\t\"");
    in_json("Lê", "\"Lê\"");
    in_json("\xff", "\"\xef\xbf\xbd\"");
    in_json("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    in_json("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* The published test values of FNV-1a. */
TEST(the_hash_is_the_published_one) {
    assert_true(hash_bytes(HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(hash_bytes(HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    assert_true(hash_string(hash_string(HASH_START, "ab"), "c") != hash_string(hash_string(HASH_START, "a"), "bc"));
}

IN_A_TREE(files_are_replaced_whole_or_not_at_all) {
    struct text text = {0}, back = {0};
    uint64_t hash;
    char *deep = path_join(root, "a/b"), *path = path_join(deep, "file");
    assert_int_equal(folder_make(deep), 0);
    assert_int_equal(folder_make(deep), 0);
    text_add(&text, "one\ntwo\n");
    assert_int_equal(file_replace(path, &text), 0);
    assert_int_equal(file_read(path, &back), 0);
    assert_string_equal(back.data, text.data);
    assert_int_equal(file_hash(path, &hash), 0);
    assert_true(hash == hash_bytes(HASH_START, "one\ntwo\n", 8));
    assert_int_not_equal(file_replace(deep, &text), 0);
    assert_int_not_equal(folder_make(path), 0);
    unlink(path);
    assert_int_equal(rmdir(deep), 0); /* nothing was left beside the file */
}

static void escaped(const char *value, const char *as) {
    struct text text = {0};
    text_add_escaped(&text, value);
    assert_string_equal(text_string(&text), as);
    if (text.data) {
        assert_true(unescape(text.data));
        assert_string_equal(text.data, value);
    }
}

TEST(values_are_escaped_and_come_back) {
    char every[256];
    for (int i = 1; i < 256; i++)
        every[i - 1] = (char)i;
    every[255] = '\0';
    struct text text = {0};
    text_add_escaped(&text, every);
    assert_null(strpbrk(text.data, ";=,\" \t\r\n\\#\x7f\xff"));
    assert_true(unescape(text.data));
    assert_string_equal(text.data, every);
    text_free(&text);
    escaped("", "");
    escaped("0+2", "0+2");
    escaped("/a b,c;d=e%", "/a%20b%2Cc%3Bd%3De%25");
    escaped("\n\xc3\xa4", "%0A%C3%A4");
}

TEST(what_is_not_escaped_stands_for_itself) {
    static const char *const wrong[] = {"%", "a%2", "%zz", "%2g", "%00"};
    char value[32] = "a b;%2c%2C=";
    assert_true(unescape(value));
    assert_string_equal(value, "a b;,,=");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(value, sizeof value, "%s", wrong[i]);
        assert_false(unescape(value));
    }
}

int main(void) { return unit_tests_run(NULL, NULL); }
