#include "harness/measuring/gbench.h"
#include <benchmark/benchmark.h>
#include <vector>

namespace {

/* gbench_loop is a name for benchmark::State that C can hold. */
benchmark::State &state_of(gbench_loop *loop) { return *reinterpret_cast<benchmark::State *>(loop); }

bool next(gbench_loop *loop) { return state_of(loop).KeepRunning(); }
void pause_timing(gbench_loop *loop) { state_of(loop).PauseTiming(); }
void resume_timing(gbench_loop *loop) { state_of(loop).ResumeTiming(); }
bool next_window(gbench_loop *loop, uint64_t operations) {
    return state_of(loop).KeepRunningBatch(static_cast<int64_t>(operations));
}
void window_took(gbench_loop *loop, double seconds) { state_of(loop).SetIterationTime(seconds); }

/* Keeps each repetition instead of printing it: standard output belongs to the samples. */
class Keeper : public benchmark::BenchmarkReporter {
  public:
    Keeper(double *seconds, unsigned max) : seconds_(seconds), max_(max) {}
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs)
            if (run.run_type == Run::RT_Iteration && kept_ < max_)
                seconds_[kept_++] = run.real_accumulated_time / static_cast<double>(run.iterations);
    }
    unsigned kept() const { return kept_; }

  private:
    double *seconds_;
    unsigned max_;
    unsigned kept_ = 0;
};

benchmark::State *current;

/* Google Benchmark aborts the program if a benchmark returns before its last iteration, unless it was skipped. */
void must_be_over(benchmark::State &state, const char *why) {
    if (why || state.iterations() < state.max_iterations)
        state.SkipWithError(why ? why : "could not be measured here");
}

unsigned run(const gbench_case *what, double *seconds) {
    char name[] = "stealbench", *arguments[] = {name, nullptr};
    int count = 1;
    benchmark::Initialize(&count, arguments);
    auto *registered = benchmark::RegisterBenchmark("stealbench", [what](benchmark::State &state) {
        what->loop(what->context, reinterpret_cast<gbench_loop *>(&state));
        must_be_over(state, nullptr);
    });
    registered->MinTime(what->minimum_time)->Repetitions(static_cast<int>(what->repetitions));
    what->windows ? registered->UseManualTime() : registered->UseRealTime();

    Keeper keeper(seconds, what->repetitions);
    benchmark::RunSpecifiedBenchmarks(&keeper);
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
    return keeper.kept();
}

void add(const char *name, const char *(*run)(void *context), void *context) {
    auto *registered = benchmark::RegisterBenchmark(name, [run, context](benchmark::State &state) {
        current = &state;
        const char *why = run(context);
        current = nullptr;
        must_be_over(state, why);
    });
    registered->UseManualTime();
}

gbench_loop *current_loop(void) { return reinterpret_cast<gbench_loop *>(current); }

bool main_of(int count, char **arguments) {
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments))
        return false;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return true;
}

} // namespace

extern "C" {
extern const struct gbench_calls gbench_here;
const struct gbench_calls gbench_here = {next, pause_timing, resume_timing, next_window, window_took,
                                         run,  add,          current_loop,  main_of};
}
