import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSequencer, TestSpecification } from 'vitest/node';
import { iconDrawings } from './server/admin/editor-build/editor-icons.ts';
import { editorChunks, treeshake } from './server/admin/editor-build/editor-chunks.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The test files that take longest, by work or by waiting for servers that died. One that is missing here costs time and nothing else. */
const longTests = [
  'tests/services/dovecot-kills',
  'tests/services/restate-servers',
  'tests/services/postgres-failover',
  'tests/full/growth',
  'tests/full/editor/shell',
  'tests/full/soak',
  'tests/full/how-to',
  'tests/full/python-hostile',
  'tests/full/hooks-killed',
  'tests/full/editor/words',
  'tests/full/hostile-documents',
  'tests/full/editor/pickers',
  'tests/full/editor/settings',
  'tests/full/readme',
  'tests/full/a11y',
  'tests/full/editor/ten-thousand',
  'tests/full/polls-killed',
  'tests/full/conventions-view',
  'tests/full/editor/templates',
  'tests/full/editor/containers',
  'tests/full/restart',
  'tests/full/conventions',
  'tests/full/editor/jobs',
  'tests/full/editor/versions',
  'tests/full/editor/flow-list',
  'tests/full/editor/past-run',
  'tests/full/editor/a11y',
  'tests/full/python',
  'tests/full/large-upload',
  'tests/full/editor/results',
  'tests/full/editor/sources',
  'tests/full/editor/connections',
  'tests/full/bad-protocol',
  'tests/full/safety',
  'tests/full/docs',
  'tests/full/editor/saving',
  'tests/full/editor/refusals',
  'tests/full/launcher',
  'tests/full/package',
  'tests/full/last-net',
  'tests/full/editor/branches',
  'tests/full/bad-flows',
  'tests/editor/first-hour',
  'tests/editor/chat',
  'tests/editor/draft-and-live',
  'tests/editor/import-n8n',
  'tests/editor/build-and-run',
  'tests/durable',
  'tests/import-n8n',
  'tests/code-flows',
  'tests/http-request',
  'tests/servers/secrets-rotate',
  'tests/servers/mixed-versions',
  'tests/servers/rolling',
  'tests/servers/cluster-durable',
  'tests/servers/processes',
  'tests/servers/cluster',
  'tests/servers/across',
  'tests/servers/roles',
  'engine/operators.hostile.full',
  'server/integrations/sandbox/corpus.full',
  'server/integrations/sandbox/many-flows.full',
  'server/admin/cli/commands/packages.full',
  'server/integrations/connections/kinds/ssh/files.full',
  'server/execution/durable/postgres/postgres-engine.full',
  'server/execution/durable/durable',
  'server/execution/durable/durable.full',
  'server/main.full',
  'server/flows/service/git/git-flows.full',
  'server/admin/cli/weft.full',
  'server/integrations/services/contract.full',
  'server/flows/imports/n8n/reader.property.full',
  'server/flows/imports/dify/dify.property.full',
  'server/integrations/documents/documents',
  'engine/operators',
  'engine/operators.hostile',
  'server/integrations/knowledge/embedded/embedded-store',
  'server/execution/sources/hooks',
  'server/integrations/connections/kinds/sqlite/sqlite',
  'server/flows/imports/n8n/nodes/triggers/service-triggers',
  'server/access/answers/stream-answer',
  'server/chat/service/chat',
  'server/api/routes/draft-and-live',
  'server/integrations/sandbox/code-service',
  'server/flows/imports/n8n/services/lines.full',
  'server/execution/sources/sources',
  'server/execution/durable/postgres/postgres-engine',
  'server/execution/waits/waits',
  'server/api/routes/connections',
  'server/integrations/questions/walls',
  'server/flows/imports/n8n/nodes/samples',
  'server/integrations/connections/kinds/oauth2/oauth2',
  'server/integrations/knowledge/postgres/pgvector.full',
  'server/base/authored/load-operators',
  'engine/reshape/reshape.property',
  'engine/partial/partial.property',
  'engine/run/run.property',
].map((name) => `/${name}.test.ts`);

/** Where less time than this is left for the full matrices (`TEST_UNTIL`), it is not enough for all, in milliseconds. */
const ENOUGH_MS = 45 * 60_000;

export default defineConfig({
  root: `${here}editor`,
  plugins: [react(), tailwind(), editorChunks(`${here}editor`, react), operatorIcons(), otherPages()],
  build: {
    outDir: `${here}dist/editor`,
    emptyOutDir: true,
    // Read by server/admin/editor-build/check-editor-size.ts.
    manifest: true,
    rolldownOptions: { treeshake, output: { assetFileNames } },
  },
  test: {
    root: here,
    // For files that tests write elsewhere; Node itself is told by server/base/authored/kinds.ts.
    alias: { '#weft': `${here}server/admin/cli/weft-module.ts` },
    include: [process.env['TEST_INCLUDE'] ?? '{shared,engine,server,editor,tests}/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(process.env['TEST_EXCLUDE'] ? [process.env['TEST_EXCLUDE']] : []),
    ],
    globalSetup: ['tests/support/shared-stage.ts'],
    ...(process.env['TEST_UNTIL'] && { runner: 'tests/runner/within-time.ts' }),
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 300_000,
    // More than cores: many tests wait for pages, processes and disks.
    maxWorkers: 4,
    sequence: { sequencer: longestFirst() },
  },
});

/** The pages that the server draws name the font, so that its name has no hash. */
function assetFileNames({ names }: { readonly names: readonly string[] }): string {
  return names.some((name) => name.startsWith('inter-latin-wght'))
    ? 'assets/inter.woff2'
    : 'assets/[name]-[hash][extname]';
}

/**
 * So that in the end no worker is alone with a long file. Vitest itself goes by the sizes of files, which say little here. Where the time is
 * not enough for all, chance orders them, so that it is not the same ones that are left out.
 */
function longestFirst(): new () => TestSequencer {
  const until = process.env['TEST_UNTIL'];
  const byChance = until !== undefined && Number(until) * 1000 - Date.now() < ENOUGH_MS;
  const rank = ({ moduleId }: TestSpecification): string | number => {
    if (byChance) return createHash('md5').update(`${until} ${moduleId}`).digest('hex');
    const found = longTests.findIndex((name) => moduleId.endsWith(name));
    return found === -1 ? longTests.length : found;
  };
  return class {
    sort(files: TestSpecification[]): TestSpecification[] {
      const ranked = files.map((file) => ({ file, at: rank(file) }));
      return ranked.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))).map(({ file }) => file);
    }

    shard(files: TestSpecification[]): TestSpecification[] {
      return files;
    }
  };
}

/** Writes `icons.json` beside the editor: what operators may name (see `server/admin/editor-build/editor-icons.ts`). */
function operatorIcons(): Plugin {
  return {
    name: 'operator-icons',
    apply: 'build',
    async generateBundle() {
      const source = JSON.stringify(await iconDrawings());
      this.emitFile({ type: 'asset', fileName: 'icons.json', source });
    },
  };
}

/** Builds `docs.html` and `help.html`, the frame of the help, beside the editor. As pages of the same build they would cost the editor's first page 9 KB and 60 chunks. */
function otherPages(): Plugin {
  let outDir = '';
  return {
    name: 'other-pages',
    apply: 'build',
    configResolved(config) {
      outDir = config.build.outDir;
    },
    async closeBundle() {
      await build({
        configFile: false,
        root: `${here}editor`,
        logLevel: 'warn',
        build: {
          outDir,
          emptyOutDir: false,
          rolldownOptions: { input: [`${here}editor/docs.html`, `${here}editor/help.html`] },
        },
      });
    },
  };
}
