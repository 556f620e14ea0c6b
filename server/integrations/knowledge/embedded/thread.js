import { enableCompileCache } from 'node:module';

// A thread of the store: one writes, another one reads, so that a search never waits for a write. It has a compile cache of its own to switch on.
enableCompileCache();
const { connect } = await import('./connect.ts');
const { serve } = await import('../../../storage/database/sqlite/serve.ts');
serve(connect);
