/* forkjoinpool.c: fib and nqueens on Java's ForkJoinPool, whose half is in forkjoinpool/, in a virtual
 * machine inside this process. It warms up until its times are steady (runtime.h), because it compiles while it runs,
 * and each of the pool's threads takes the place that our workers have; the machine's other threads (compiler,
 * collector) share these processors. */
#include "extras/runtimes/foreign.h"
#include <jni.h>
#include <unistd.h>

#define WARM_UP_SECONDS 20       /* seconds */
#define CLASSES_FOLDER "../java" /* from where this executable lies */

static JNIEnv *env; /* the main thread's */
static jclass forkjoin;

/* "17.0.15" of JAVA_VERSION="17.0.15", which the file `release` of every Java says. */
const char *runtime_title(void) {
    static char title[128] = "Java's ForkJoinPool, version not told";
    char line[128];
    FILE *release = fopen(JAVA_FOLDER "/release", "re");
    while (release && fgets(line, sizeof line, release))
        if (sscanf(line, "JAVA_VERSION=\"%60[^\"]\"", line) == 1)
            snprintf(title, sizeof title, "Java's ForkJoinPool %.60s", line);
    if (release)
        fclose(release);
    return title;
}

/* Prints Java's exception, if there is one. */
static bool thrown(void) {
    if (!(*env)->ExceptionCheck(env))
        return false;
    (*env)->ExceptionDescribe(env);
    return true;
}

static jmethodID method(const char *name, const char *signature) {
    jmethodID found = (*env)->GetStaticMethodID(env, forkjoin, name, signature);
    if (!found) {
        thrown();
        exit(3);
    }
    return found;
}

static void JNICALL take_place(JNIEnv *caller, jclass class, jint worker) {
    (void)caller, (void)class;
    runtime_take_place((unsigned)worker);
}

static void JNICALL arrive(JNIEnv *caller, jclass class) {
    (void)caller, (void)class;
    runtime_arrive();
}

static void class_path_option(char *option, size_t size) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *last = strrchr(self, '/');
    if (last)
        *last = '\0';
    snprintf(option, size, "-Djava.class.path=%s/" CLASSES_FOLDER, self);
}

static int start_machine(void) {
    JavaVM *machine;
    static char classes[4200];
    class_path_option(classes, sizeof classes);
    /* Joined tasks nest on the stack as deep as the work; this is the largest stack that Java allows. */
    JavaVMOption options[] = {{classes, NULL}, {(char *)"-Xss1g", NULL}, {(char *)"-XX:-UsePerfData", NULL}};
    JavaVMInitArgs arguments = {JNI_VERSION_10, sizeof options / sizeof options[0], options, JNI_FALSE};
    if (JNI_CreateJavaVM(&machine, (void **)&env, &arguments) != JNI_OK) {
        fprintf(stderr, "stealbench: no Java virtual machine can be started\n");
        return 3;
    }
    jclass found = (*env)->FindClass(env, "ForkJoin");
    const JNINativeMethod natives[] = {{(char *)"takePlace", (char *)"(I)V", (void *)take_place},
                                       {(char *)"arrive", (char *)"()V", (void *)arrive}};
    if (!found || (*env)->RegisterNatives(env, found, natives, sizeof natives / sizeof natives[0]) != 0) {
        thrown();
        return 3;
    }
    forkjoin = (*env)->NewGlobalRef(env, found);
    return 0;
}

int foreign_start(uint32_t threads) {
    runtime_warm_up_seconds = WARM_UP_SECONDS;
    runtime_bind_process();
    int failure = start_machine();
    if (failure != 0)
        return failure;
    (*env)->CallStaticVoidMethod(env, forkjoin, method("start", "(I)V"), (jint)threads);
    return thrown() ? 3 : 0;
}

void foreign_gather(void) {
    (*env)->CallStaticVoidMethod(env, forkjoin, method("gather", "()V"));
    thrown();
}

/* The result of a Java method of two integers. UINT64_MAX, which is never right, if it threw: then the check fails. */
static uint64_t number_of(const char *name, uint32_t first, uint32_t second) {
    jlong number = (*env)->CallStaticLongMethod(env, forkjoin, method(name, "(II)J"), (jint)first, (jint)second);
    return thrown() ? UINT64_MAX : (uint64_t)number;
}

uint64_t foreign_fib(uint32_t n, uint32_t cutoff) { return number_of("fib", n, cutoff); }
uint64_t foreign_nqueens(uint32_t side, uint32_t cutoff) { return number_of("nqueens", side, cutoff); }

FOREIGN_WORKLOADS("Java's ForkJoinPool");
