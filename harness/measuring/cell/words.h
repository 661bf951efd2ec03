/* words.h: an enumeration and the words for it, from one list:
 *
 *   #define MEALS(MEAL) MEAL(BREAKFAST, "breakfast") MEAL(LUNCH, "lunch")
 *   enum meal { MEALS(LIST_NAME) };
 *
 * LIST_WORDS(MEALS) then fills an array that the enumeration indexes, and LIST_CHOICES(MEALS) is "breakfast|lunch", as
 * a parameter's choices are written: a value's place among them is the enumeration's.
 */
#ifndef STEALBENCH_WORDS_H
#define STEALBENCH_WORDS_H

#define LIST_NAME(name, word) name,
#define LIST_WORD(name, word) word,
#define LIST_CHOICE(name, word) "|" word
#define LIST_WORDS(LIST)                                                                                               \
    { LIST(LIST_WORD) }
#define LIST_CHOICES(LIST) (&LIST(LIST_CHOICE)[1])

#endif
