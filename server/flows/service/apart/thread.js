import { enableCompileCache } from 'node:module';

// A thread has a cache of its own to switch on; without it the thread loads the compiler of types, which is half of its memory.
enableCompileCache();
await import('./worker.ts');
