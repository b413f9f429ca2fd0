/** Histogram buckets for durations, in seconds, up to the default time limit of a request. */
export const DURATION_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
