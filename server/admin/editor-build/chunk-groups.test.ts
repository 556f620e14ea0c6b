import { expect, test } from 'vitest';
import { chunkGroups } from './chunk-groups.ts';

type Output = Parameters<typeof chunkGroups>[0];

const chunk = (source: string) => ({
  type: 'chunk',
  fileName: `${source}.js`,
  facadeModuleId: `/editor/${source}`,
  modules: { [`/editor/${source}`]: {} },
  imports: [],
  dynamicImports: [],
});

test('a part that is no longer loaded by itself fails the build, and is named', () => {
  const sources = ['index.html', 'flows/FlowsScreen.tsx', 'app/EditorRoute.tsx', 'api/schemas.ts'];
  const output = sources.map(chunk) as unknown as Output;
  expect(() => chunkGroups(output, '/editor')).toThrow(
    'The editor has no ui/MenuPopup.tsx that is loaded by itself.',
  );
});
