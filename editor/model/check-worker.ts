import type { Catalog } from '#shared/catalog.ts';
import { z } from 'zod';
import { check } from '#engine/check';
import type { CheckAnswer, CheckMessage } from './check-in-worker.ts';

// The content security policy forbids code generated at run time.
z.config({ jitless: true });

let catalog: Catalog = { operators: {} };

addEventListener('message', ({ data }: MessageEvent<CheckMessage>) => {
  catalog = data.catalog ?? catalog;
  const answer: CheckAnswer = { id: data.id, problems: check(data.flow, catalog, data.world) };
  postMessage(answer);
});
