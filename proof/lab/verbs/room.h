/* room.h: how many more items a bounded deque takes after pushes, steals and a pop (BWoS thesis, figure 2.7). */
#ifndef STEALBENCH_LAB_ROOM_H
#define STEALBENCH_LAB_ROOM_H

/* Prints a row for each step, drawn: items, room, and what is neither. 0, or 1 when the deque fails on the way. For a
 * deque that grows, or keeps nothing, a line that says so. */
int room(void);

#endif
