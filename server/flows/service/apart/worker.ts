import { flowSchemas } from '#engine/check';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../../../base/adapters/asked-thread.ts';
import { type ReadText, readText } from '../judge-text.ts';
import type { ApartSetup, JudgeCalls } from './protocol.ts';

/** The thread that reads and checks large flows, so that they delay no other request. */

const { catalog } = workerData as ApartSetup;
let open: ReadText | undefined;

answerCalls<JudgeCalls>({
  infer: (flow) => flowSchemas(flow, catalog),
  read(id, given) {
    open = readText(id, given, catalog);
    const { source, canonical, ...text } = open.text;
    return { ...text, canonical: canonical === source ? undefined : canonical };
  },
  judge(world, places) {
    if (open === undefined) throw new Error('nothing was read');
    const verdict = open.judge(world, places);
    open = undefined;
    return verdict;
  },
});
