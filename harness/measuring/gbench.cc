#include "harness/measuring/gbench.h"
#include <benchmark/benchmark.h>
#include <string>
#include <vector>

/* gbench_loop is a name for benchmark::State that C can hold. */
static benchmark::State &state_of(gbench_loop *loop) { return *reinterpret_cast<benchmark::State *>(loop); }

extern "C" bool gbench_next(gbench_loop *loop) { return state_of(loop).KeepRunning(); }
extern "C" void gbench_pause(gbench_loop *loop) { state_of(loop).PauseTiming(); }
extern "C" void gbench_resume(gbench_loop *loop) { state_of(loop).ResumeTiming(); }

namespace {

/* Whether a run gave up: `skipped` since Google Benchmark 1.8, `error_occurred` before; whichever there is. */
template <class Run> auto gave_up(const Run &run, int) -> decltype(run.error_occurred) { return run.error_occurred; }
template <class Run> auto gave_up(const Run &run, long) -> decltype(run.skipped != 0) { return run.skipped != 0; }

/* Google Benchmark before 1.6 has no Shutdown: then this one is meant. */
template <class... None> void Shutdown(None...) {}
void shut_down() {
    using namespace benchmark;
    Shutdown();
}

/* Keeps each repetition instead of printing it: standard output belongs to the samples. */
class Keeper : public benchmark::BenchmarkReporter {
  public:
    Keeper(gbench_repetition *repetitions, unsigned max) : repetitions_(repetitions), max_(max) {}
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration || gave_up(run, 0) || kept_ == max_)
                continue;
            repetitions_[kept_].seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
            repetitions_[kept_].iterations = static_cast<uint64_t>(run.iterations);
            kept_++;
        }
    }
    unsigned kept() const { return kept_; }

  private:
    gbench_repetition *repetitions_;
    unsigned max_;
    unsigned kept_ = 0;
};

} // namespace

extern "C" unsigned gbench_run(const gbench_case *what, gbench_repetition *repetitions) {
    std::vector<std::string> words = {"stealbench"};
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(&word[0]);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());

    auto *registered = benchmark::RegisterBenchmark(what->name, [what](benchmark::State &state) {
        what->published_loop(what->context, reinterpret_cast<gbench_loop *>(&state));
    });
    registered->MinTime(what->minimum_time)->Repetitions(static_cast<int>(what->repetitions))->UseRealTime();

    Keeper keeper(repetitions, what->repetitions);
    benchmark::RunSpecifiedBenchmarks(&keeper);
    benchmark::ClearRegisteredBenchmarks();
    shut_down();
    return keeper.kept();
}
