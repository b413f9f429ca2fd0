/* Builds before the tests: tests that start processes run them as in production, which takes a fifth of the processor time. */
import { isBuilt } from './build-stamp.mjs';

if (!isBuilt()) await import('./build.mjs');
