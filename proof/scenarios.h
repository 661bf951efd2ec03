/* scenarios.h: the small programs that every deque must survive. One table, run by the lab (lab/clients/clients.c)
 * under many schedules and by the model checker (model/clients.c) in all executions. Each defines the words of the rows
 * and the three kinds of rows, and then includes the table. No include guard: a program may read the table several
 * times.
 *
 *   ONE_THIEF(NAME, SUMMARY, RUN_BY, NEEDS, SET_UP, OWNER, THIEF)
 *   TWO_THIEVES(..., THIEF, SECOND_THIEF)
 *   MOVER(..., MOVER, OTHER)      the mover is a thief that moves items into its own deque; the other steals there too
 *
 * RUN_BY is LAB, MODEL or BOTH. The lab also runs a row of the model checker if --client names it. NEEDS is for the
 * lab: which deques the row is for.
 *
 * Deque 0 is the owner's, deques 1 and 2 are the thieves'. make(CAPACITY, ITEMS) makes deque 0 with that many items,
 * and the thieves' own where the deque needs them; push, pop and steal take how many, and work on deque 0; push_to,
 * pop_from and steal_from say which deque. more(N) is N in the lab and 0 for the model checker, whose programs have to
 * be small; MORE(...) are statements for the lab alone. LEFT is how many items thieves leave in this deque. In the lab
 * make and fill add it to their items, unless these are none.
 */
/* The formatter takes the statements of a row for one expression. */
/* clang-format off */

/* One thief. */

ONE_THIEF(last_item, "owner and thief want the last items", BOTH, thief,
          make(2 + more(2), 1 + more(1)), pop(1); push_that_fits(1); pop(1 + more(1) + LEFT), steal(2))
ONE_THIEF(restart, "the same slots are used again and again under a thief that started early", MODEL, thief,
          make(2, 1), pop(1); push(1); pop(1); push(1); pop(1); push(1), steal(1))
ONE_THIEF(two_items, "two items, two pops, two steals", MODEL, thief,
          make(2, 2), pop(2), steal(2))
ONE_THIEF(deep, "the owner goes three items down, and meets the thief anywhere", MODEL, thief,
          make(4, 3), pop(1); push(1); pop(2), steal(2))
ONE_THIEF(takes_all, "the owner pops everything, with many of its stores still buffered", MODEL, thief,
          make(4, 4), pop(3), steal(2))
ONE_THIEF(pop_all, "the owner pops everything and pushes again", LAB, thief,
          make(8, 4), pop(4 + LEFT); push(3); pop(3), steal(2))
ONE_THIEF(empty_pop_first, "the owner pops a fresh deque before it pushes", BOTH, thief,
          make(2 + more(2), 0), pop_nothing(); push(2 + LEFT); pop(1 + more(1)), steal(2))
/* The thief may learn of item 1 from the store of bottom that took item 2 back. */
ONE_THIEF(push_pop, "a pop publishes the item that it leaves", MODEL, thief,
          make(2, 0), push(2); pop(1), steal(1))
ONE_THIEF(never_empty, "two items are in the deque at any time: the thief is not told EMPTY", MODEL, thief,
          make(4, 3), pop(1); push(1); wait_for_thieves(); thief_was_not_told_empty(), steal(1))
ONE_THIEF(made_late, "a thief makes its own deque while others are at work", MODEL, thief,
          make_deque(0, 2); fill(0, 1), push(1); pop(1), make_deque(1, 2); steal(2))
ONE_THIEF(by_own, "the owner pushes at places, and takes back what it put there", BOTH, pushes_at,
          make(4, 0), push_own(2); pop_own(1); push_own(1 + more(1)); pop_own(2 + more(1)), steal(2))
ONE_THIEF(own_last, "the owner takes back all that it put at places", MODEL, pushes_at,
          make(2, 0), push_own(2); pop_own(2), steal(1))

/* Counters and rings that wrap: at the ring's end, at 32 bits, at the signed and at the unsigned 64 bits. */

ONE_THIEF(wrap, "counters and ring wrap under a thief", LAB, thief,
          make_from(2, 1, UINT64_MAX - 1), push(1); pop(1); push(2); pop(1); push(1), steal(3))
ONE_THIEF(wrap_ring, "the ring wraps", MODEL, thief,
          make_from(2, 2, 1), pop(1); push(1); pop(1), steal(2))
ONE_THIEF(wrap_32, "counters pass 32 bits", MODEL, thief,
          make_from(2, 2, UINT32_MAX), pop(1); push(1); pop(1), steal(2))
ONE_THIEF(wrap_63, "counters pass 63 bits", MODEL, thief,
          make_from(2, 2, INT64_MAX), pop(1); push(1); pop(1), steal(2))
ONE_THIEF(wrap_64, "counters pass 64 bits", MODEL, thief,
          make_from(2, 2, UINT64_MAX), pop(1); push(1); pop(1), steal(2))

/* Full deques, and deques that grow. */

ONE_THIEF(nothing_more, "the owner pushes a batch of none where a thief waits for items", LAB, thief,
          make(4, 1), pop(1); push_batch(0); push(1 + LEFT); pop(1), steal(3))
ONE_THIEF(full, "the owner pushes into a full deque while a thief makes room", BOTH, bounded,
          make_full(2), push(2 + more(1)); MORE(pop(1); push(2)), steal(2))
TWO_THIEVES(no_memory, "the owner only pushes, into the places that thieves make free; there is no memory", LAB, thief,
            make_full(2); memory_scarce = true, push(4), steal(2), steal(2))
ONE_THIEF(growth, "the deque grows during a steal", BOTH, growing,
          make(1 + more(1), 1), push(2 + more(3)); pop(1 + more(1)), steal(2 + more(1)))
ONE_THIEF(batch_of_before, "the deque grows under a thief of a batch, whose items the owner replaces", BOTH, growing,
          make(2, 2), push(1); pop(2); push(1 + more(2)), steal_batch(100, 2))
ONE_THIEF(batch_returns, "the ring is left for a smaller one, and comes back under a thief of a batch", BOTH, growing,
          make(4, 5); pop(3), pop(1); push(4), steal_batch(100, 2))
ONE_THIEF(ring_returns, "as batch_returns, and the owner copies into a slot that the thief has read", LAB, growing,
          make(4, 4), push(2); pop(1), steal(4))
TWO_THIEVES(grows_behind, "the deque grows far while one thief takes what another looks at", LAB, growing,
            make(2, 1), push(26), steal(4), steal(1))
TWO_THIEVES(grows_by_batches, "thieves take what a batch replaces, in a deque that grows", LAB, growing,
            make(2, 2), push_batch(2); push_batch(2); push_batch(2); push_batch(2), steal(3), steal(2))
MOVER(memory_elsewhere, "what one deque leaves by growing, another takes, and a thief still looks there", LAB, growing,
      make_with_target(2, 1); fill(0, 2); fill(1, 1), push(1), push_to(1, 1), steal_from(0, 1))
ONE_THIEF(many, "the owner gathers many items, and takes some back", LAB, growing,
          make_many(), push(3); pop(3), steal(3))
TWO_THIEVES(nodes_again, "nodes that thieves have emptied are used again", MODEL, thief,
            make(1, 3), push(2); pop(1), steal(2), steal(1))
TWO_THIEVES(shrink, "the array is left for a smaller one, which is filled again under thieves", MODEL, thief,
            make(1, 3), pop(2); push(2), steal(1), steal(1))

/* An item that was popped comes into the same slot again a round of the ring later. A thief that has looked at the slot
 * before may take it for the oldest. */

TWO_THIEVES(comes_again, "an item comes again, and the deque grows", LAB, growing,
            make(1, 1), pop(1); push(1); steal(1); push_again(1); push(1); pop(1), steal(1), steal(2))
ONE_THIEF(missed, "an item comes again, and the owner wants it", LAB, growing,
          make(4, 1), pop(1); push(1); steal(1); push(3); push_again(1); pop(1); push(2), steal(1))
/* For the model checker's items that are all alike. In the lab, too, a sound deque may say EMPTY here: ask for --fault=stranger. */
TWO_THIEVES(missed_two, "the owner wants the newest item, which a thief takes for the oldest, and another takes that", MODEL,
            thief,
            make(2, 2), MORE(pop(2)); push(1); MORE(steal(1); push_again(2)); pop(1), steal(1), steal(2))

/* Batches and items written in place. */

ONE_THIEF(push_batch, "a batch that needs a larger array", MODEL, thief,
          make(2, 1), push_batch(3); pop(1), steal(2))
ONE_THIEF(steal_batch, "a batch is stolen while the owner pops", MODEL, thief,
          make(4, 3), pop(2), steal_batch(60, 2))
ONE_THIEF(batch, "batches go in and come out", LAB, thief,
          make(8, 4), pop(1); push_batch(3); pop(2), steal_batch(50, 8); steal_batch(100, 2))
TWO_THIEVES(batch_each, "two thieves take batches while the owner pops one item and pushes one", MODEL, thief,
            make(4, 4), pop(1); push(1), steal_batch(60, 2), steal_batch(0, 4))
TWO_THIEVES(half_of_many, "two thieves take halves, down to which the owner pops", MODEL, thief,
            make(4, 4), pop(3), steal_batch(0, 4), steal_batch(0, 4))
ONE_THIEF(half_popped_and_pushed, "the owner pops into the half that a thief takes, and pushes again", MODEL, thief,
          make(4, 4), pop(3); push(2); pop(1), steal_batch(0, 4))
TWO_THIEVES(half_full, "half is stolen of a deque that the owner keeps full", MODEL, thief,
            make(2, 2), push(1); pop(1); push(1), steal_batch(0, 4), steal(1))
/* The model checker commits one item fewer than are written. */
ONE_THIEF(reserved_in_part, "items are written in place, and some of them committed", MODEL, reserves,
          make(4, 1), push_reserved(3); pop(1), steal(2))

/* Two thieves. */

TWO_THIEVES(two_thieves, "two thieves and the owner", BOTH, thief,
            make(2 + more(2), 2), MORE(push(1)); pop(2), steal(1 + more(1)), steal(1 + more(1)))
TWO_THIEVES(passed, "one thief empties the deque, the owner starts over, the other thief looks on", MODEL, thief,
            make(2, 2), pop(1), steal(2), steal(1))
TWO_THIEVES(two_thieves_full, "the owner writes a slot again that one thief took and the other still reads", MODEL, thief,
            make(2, 2), push(1), steal(1), steal(1))
TWO_THIEVES(two_thieves_restart, "two thieves while the owner starts over, for one item each", MODEL, thief,
            make(2, 1), pop(1); push(2), steal(1), steal(1))
TWO_THIEVES(two_thieves_growth, "the array is replaced under two thieves", MODEL, thief,
            make(1, 1), push(1); pop(1), steal(1), steal(1))
TWO_THIEVES(two_thieves_growth_again, "the array is replaced just after its only slot was used again", MODEL, thief,
            make(1, 1), push(2), steal(1), steal(1))
/* Where thieves leave items, nothing is promised. */
TWO_THIEVES(answers, "an item for each, and no owner: no thief is told EMPTY, and only one may lose", MODEL, thief,
            make(2, 2), wait_for_thieves(); one_thief_won(), steal(1), steal(1))
TWO_THIEVES(empty_and_full, "an owner that emptied the deque can push, wherever thieves stand still", MODEL, thief,
            make(2, 2), pop(2); pop_nothing(); push_that_fits(2), steal(1), steal(1))
TWO_THIEVES(size, "a thread asks for the size while the owner finds the deque empty", LAB, thief,
            make(4, 0), pop(1); push(2 + LEFT); pop(3 + LEFT); push(1), ask_size(6), steal(2))
TWO_THIEVES(sized, "a thread asks for the size while the deque wraps or grows", MODEL, thief,
            make(2, 1), push(1); pop(1); push(1), steal(2), ask_size(1))
TWO_THIEVES(sized_growth, "a thread asks for the size while the deque grows twice", MODEL, thief,
            make(1, 1), push(2), steal(1), ask_size(1))

/* Owners that answer requests. asked_before(): a thief asked and was answered before the threads start. */

TWO_THIEVES(asked, "two thieves ask, and the owner only answers", LAB, polls,
            make(16, 8), poll(4), steal(3), steal(3))
ONE_THIEF(poll_share, "the owner shares what it has just pushed", MODEL, polls,
          make(4, 0), push(2); poll(1); pop(2), steal(3))
TWO_THIEVES(poll_full, "the owner shares, fills the deque and shares again", MODEL, polls,
            make(2, 2); asked_before(), push(1); pop(1); push(1); poll(1), steal(2), steal(1))
ONE_THIEF(poll_again, "the owner takes back what it shared, replaces it and shares again", MODEL, polls,
          make(4, 2); asked_before(), pop(2); push(2); poll(1); pop(1), steal(3))
/* The second thief's request makes the owner share another item in the same slot, which the first has read before. */
TWO_THIEVES(poll_again_two, "as poll_again, and a second thief asks in between", MODEL, polls,
            make(2, 2); asked_before(), pop(2); push(1); poll(1), steal(1), steal(1))
TWO_THIEVES(poll_two, "two thieves ask at once; the owner lets two items go and takes them back", MODEL, polls,
            make(2, 2), poll(2); pop(2), steal(3), steal(1))
TWO_THIEVES(poll_two_late, "as poll_two, but thieves learn of the items by the deque alone", MODEL, polls,
            make(2, 0), push(2); poll(2); pop(1), steal(2), steal(1))

/* Rings that hand half of their items back to the owner when they are full. */

TWO_THIEVES(spill, "a full ring hands half of itself back, at which two thieves are", LAB, spills,
            make_full(2), push_or_spill(3); pop(1), steal(2), steal_all())
ONE_THIEF(spill_fresh, "the thief knows of the items by the deque alone", MODEL, spills,
          make(2, 0), push(2); push_or_spill(1), steal(1))
ONE_THIEF(spill_twice, "two pushes find a full ring, past 32 bits", MODEL, spills,
          make_from(2, 2, UINT32_MAX), push_or_spill(2); pop(1), steal(2))
ONE_THIEF(spill_batch, "a full ring spills under a thief of batches", MODEL, spills,
          make(4, 4), push_or_spill(2); pop(1), steal_batch(60, 2))
TWO_THIEVES(spill_two_thieves, "a full ring spills under two thieves", MODEL, spills,
            make(2, 2), push_or_spill(1); pop(1), steal(1), steal(1))

/* Blocks: the owner gives a block to the thieves, takes back what they left of it, and uses it again. */

ONE_THIEF(blocks_back, "the owner takes a block back and uses it again", MODEL, thief,
          make(4, 3), pop(2); push(2); pop(1), steal(2))
ONE_THIEF(blocks_wrap_ring, "as blocks_back, past the end of the ring", MODEL, thief,
          make_from(4, 3, 2), pop(2); push(2); pop(1), steal(2))
ONE_THIEF(blocks_wrap_32, "as blocks_back, past 32 bits", MODEL, thief,
          make_from(4, 3, UINT32_MAX - 1), pop(2); push(2); pop(1), steal(2))
ONE_THIEF(blocks_wrap_63, "as blocks_back, past 63 bits", MODEL, thief,
          make_from(4, 3, INT64_MAX - 1), pop(2); push(2); pop(1), steal(2))
ONE_THIEF(blocks_wrap_64, "as blocks_back, past 64 bits", MODEL, thief,
          make_from(4, 3, UINT64_MAX - 1), pop(2); push(2); pop(1), steal(2))
ONE_THIEF(blocks_again, "blocks that a thief has emptied are filled again", MODEL, thief,
          make(4, 3), push(3); pop(1), steal(2))
TWO_THIEVES(blocks_two, "two thieves in blocks that the owner takes back", MODEL, thief,
            make(4, 3), pop(2); push(2), steal(1), steal(1))
TWO_THIEVES(blocks_two_again, "two thieves empty blocks that the owner fills again", MODEL, thief,
            make(4, 4), push(1); pop(1); push(1), steal(2), steal(1))
TWO_THIEVES(blocks_over, "the owner empties the deque behind a thief and gives the same block again", MODEL, thief,
            make(4, 3), pop(4); push(3), steal(1), steal(1))
TWO_THIEVES(blocks_batch, "a thief takes whole blocks that the owner uses again", MODEL, thief,
            make(4, 3), pop(1); push(2); pop(1), steal_batch(100, 3), steal(1))
ONE_THIEF(single_reused, "an item is stolen from a block that is used again", MODEL, thief,
          make(1, 2), push(1), steal(1))
ONE_THIEF(batch_reused, "a batch is stolen from blocks that are used again", BOTH, growing,
          make(2, 3), push(1 + more(5)), steal_batch(100, 2 + more(1)))
TWO_THIEVES(single_and_batch, "an item and a batch are stolen from blocks that are used again", MODEL, thief,
            make(2, 3), push(1), steal(1), steal_batch(100, 2))
TWO_THIEVES(swapped_once, "a block is swapped for a spare while a thread asks for the size", MODEL, thief,
            make(2, 2), push(1), steal(1), ask_size(1))
TWO_THIEVES(swapped, "a block is swapped for a spare while another thief counts what is there", MODEL, thief,
            make(2, 2), pop(1); push(1), steal(1), steal_batch(100, 3))

/* Thieves that move items into deques of their own. */

MOVER(into_busy, "a thief moves items into its own deque, at which another thief is", MODEL, moves,
      make_with_target(4, 4); fill(0, 3); fill(1, 1), pop(1), steal_into(0, 1); pop_from(1, 1), steal_from(1, 1))
MOVER(into_busy_fresh, "as into_busy, with items that the owner pushes meanwhile", MODEL, moves,
      make_with_target(4, 4); fill(0, 0), push(3), steal_into(0, 1); pop_from(1, 1), steal_from(1, 1))
MOVER(into_claimed, "items are moved into a slot that a thief has claimed and not yet read", MODEL, moves_elsewhere,
      make_pair(4, 2); fill(0, 3); fill(1, 2), nothing(),
      pop_from(1, 1); steal_into(0, 1); pop_from(1, 1), steal_from(1, 1))
ONE_THIEF(into_both, "two owners steal from one another, past 32 bits", MODEL, moves_elsewhere,
          make_deque_from(0, 4, UINT32_MAX - 1); make_deque_from(1, 4, UINT32_MAX); fill(0, 3); fill(1, 2),
          pop(1); steal_into(1, 0); push(1), steal_into(0, 1); pop_from(1, 1))
MOVER(into_push, "what was moved is stolen again, with its contents", MODEL, moves,
      make_pair(4, 2); fill(0, 4), pop(1), steal_into(0, 1); push_to(1, 1); pop_from(1, 1), steal_from(1, 1))
MOVER(into_wrap, "what is moved comes into the slot that a thief has just read", MODEL, moves_elsewhere,
      make_pair(8, 2); fill(0, 6); fill(1, 1), nothing(), steal_into(0, 1); pop_from(1, 1), steal_from(1, 1))
ONE_THIEF(blocks_retaken, "the owner replaces what is public under a thief that moves several", MODEL, moves,
          make_pair(4, 4); fill(0, 3); pop(1), pop(1); push(2), steal_into(0, 1))
/* A moved block goes to the thieves of its new owner while the first owner wants it back. */
MOVER(blocks_into, "a block that was moved is stolen from while its first owner wants it back", MODEL, moves,
      make_pair(4, 4); fill(0, 3), pop(2), steal_into(0, 1); push_to(1, 2); pop_from(1, 1), steal_from(1, 1))
MOVER(steal_into_busy, "a thief fills its own deque, at which another thief is", LAB, thief,
      make_busy_target(), push(1); pop(1),
      steal_into(0, 1); pop_from(1, 1); steal_into(0, 1); pop_from(1, 1), steal_from(1, 2))
MOVER(steal_into_fresh, "a thief moves items into its own deque, at which another thief waits for them", LAB, moves,
      make_empty_target(8), answer(), steal_into(0, 1); move(), steal_from(1, 3 + attempts() + LEFT))

/* Nodes and lists of intrusive deques; model/clients.c has more of them. */

ONE_THIEF(node_reuse, "the owner pushes again what it popped", LAB, thief,
          make(8, 4), pop(3); push_again(3); pop(1), steal_batch(70, 8); steal(1))
ONE_THIEF(node_free, "the owner frees the links it popped", LAB, lists,
          make(8, 4), pop(3); free_popped(3), steal_list(50); steal_list(100))
ONE_THIEF(lists, "whole lists go in and come out", LAB, lists,
          make(8, 4), pop(2); push_list(3); pop(2), steal_list(50); steal_list(100))

TWO_THIEVES(grows_behind_batch, "the deque grows far while one thief takes what another looks at for a batch", LAB, growing,
            make(2, 2), push(26), steal(4), steal_batch(100, 2))
TWO_THIEVES(room_again, "thieves claim blocks, some in vain, and there is no memory for others", LAB, growing,
            make(8, 6); memory_scarce = true, pop(2); push(1); pop(1), steal_batch(40, 2); steal_batch(100, 2), steal_batch(40, 2); steal(1))
ONE_THIEF(blocks_round, "a thief empties blocks that the owner grants again in the next round", MODEL, thief,
          make(2, 2), push(2), steal(3))
TWO_THIEVES(blocks_round_two, "as blocks_round, and another thief finds what is granted then", MODEL, thief,
            make(2, 2), push(2), steal(2), steal(1))
ONE_THIEF(blocks_first, "a block is granted for the first time", MODEL, thief,
          make(4, 1), push(2), steal(2))
