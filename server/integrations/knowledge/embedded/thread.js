import { enableCompileCache } from 'node:module';

// A thread of the store: one writes, another one reads, so that a search never waits for a write. Each thread enables its own compile cache.
enableCompileCache();
const { connect } = await import('./connect.ts');
const { serve } = await import('../../../storage/database/sqlite/serve.ts');
serve(connect);
