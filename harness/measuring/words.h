/* words.h: makes an enumeration and its words from one list:
 *
 *   #define MEALS(MEAL) MEAL(BREAKFAST, "breakfast") MEAL(LUNCH, "lunch")
 *   enum meal { MEALS(LIST_NAME) };
 *
 * LIST_WORDS(MEALS) then fills an array that the enumeration indexes, and LIST_CHOICES(MEALS) is "breakfast|lunch", in
 * the form of a parameter's choices; a choice's index is the enumeration's value.
 */
#pragma once

#define LIST_NAME(name, word) name,
#define LIST_WORD(name, word) word,
#define LIST_CHOICE(name, word) "|" word
#define LIST_WORDS(LIST)                                                                                               \
    { LIST(LIST_WORD) }
#define LIST_CHOICES(LIST) (&LIST(LIST_CHOICE)[1])
