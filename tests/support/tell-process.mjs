/*
 * Preloaded into a server (`node --import`): its requests to others name it, by TEST_PROCESS, so that who receives them knows which
 * of several servers sent each.
 */
import { subscribe } from 'node:diagnostics_channel';

const name = process.env.TEST_PROCESS;
if (name !== undefined)
  subscribe('undici:request:create', ({ request }) => request.addHeader('x-test-process', name));
