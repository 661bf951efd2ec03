// rayon_glue.cc: an owner and two thieves on a deque behind extras/transplants/rayon/glue.cc: each item
// comes out once, with both of its words. transplants_test.py links it with a deque.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

struct glue;
extern "C" {
glue *transplant_glue_new();
void transplant_glue_delete(glue *);
bool transplant_glue_push(glue *, std::uint64_t first, std::uint64_t second);
bool transplant_glue_pop(glue *, std::uint64_t *words);
std::uint32_t transplant_glue_steal(glue *, std::uint64_t *words);
bool transplant_glue_is_empty(const glue *);
}

namespace {

constexpr std::uint64_t items = 200000;
std::vector<std::atomic<int>> seen(items + 1);
std::atomic<std::uint64_t> torn{0}, out{0}, stolen{0};

void take(const std::uint64_t *words) {
    if (words[0] == 0 || words[0] > items || words[1] != ~words[0])
        torn++;
    else
        seen[words[0]]++;
    out++;
}

} // namespace

int main() {
    glue *deque = transplant_glue_new();
    std::uint64_t words[2];
    if (!deque || !transplant_glue_is_empty(deque) || transplant_glue_pop(deque, words))
        return std::puts("a new deque is not empty"), 1;
    std::atomic<bool> end{false};
    auto thief = [&] {
        std::uint64_t mine[2];
        while (!end)
            if (transplant_glue_steal(deque, mine) == 0)
                take(mine), stolen++;
            else
                std::this_thread::yield();
    };
    std::thread first(thief), second(thief);
    std::uint64_t pushed = 0, state = 1;
    while (pushed < items || out < items) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        // long runs of pushes fill a fixed deque and need another ring of cells
        for (std::uint64_t run = state >> 33 & ((state >> 60) == 0 ? 4095 : 15); run > 0 && pushed < items; run--)
            if (transplant_glue_push(deque, pushed + 1, ~(pushed + 1)))
                pushed++;
            else if (transplant_glue_pop(deque, words))
                take(words);
        for (std::uint64_t run = state >> 45 & 15; run > 0 && transplant_glue_pop(deque, words); run--)
            take(words);
        if (stolen < 100 || (state >> 58) == 0) // on a busy processor, too, thieves come in between
            std::this_thread::yield();
    }
    end = true;
    first.join(), second.join();
    std::uint64_t wrong = torn;
    for (std::uint64_t i = 1; i <= items; i++)
        wrong += seen[i] != 1;
    transplant_glue_delete(deque);
    std::printf("%llu wrong, %s\n", static_cast<unsigned long long>(wrong), stolen > 0 ? "some stolen" : "none stolen");
    return wrong != 0 || stolen == 0;
}
