import { enableCompileCache } from 'node:module';

// A thread has to enable its own cache; without it the thread loads the type compiler, which is half of its memory.
enableCompileCache();
const { serve } = await import('./serve.ts');
serve();
