#include "harness/driver/util/util.h"

json_t *json_of_text(const char *text) {
    json_t *json = json_string(text);
    struct text mended = {0};
    for (; !json && *text; text++)
        text_append(&mended, isascii((unsigned char)*text) ? text : "\xef\xbf\xbd",
                    isascii((unsigned char)*text) ? 1 : 3);
    json = json ? json : json_string(text_string(&mended));
    text_free(&mended);
    return json;
}

json_t *json_of_real(double real) {
    const bool whole = fabs(real) < 1e15 && !(floor(real) < real);
    return whole ? json_integer((json_int_t)real) : json_real(real);
}
