import type { OfferedModel } from '#shared/model-provider.ts';

/** The models of the demo provider. */
export const demoModels: readonly OfferedModel[] = [
  { name: 'chat', use: 'chat' },
  { name: 'echo', use: 'chat' },
  { name: 'slow', use: 'chat' },
  { name: 'embed', use: 'embedding' },
];
