import type { FlowSearch, FlowSearchBody } from '#shared/find-text.ts';
import { call } from './client.ts';

/** The next flows in which a text is found; `next` of the answer goes on. */
export const searchFlows = (body: FlowSearchBody): Promise<FlowSearch> =>
  call(async () => (await import('#shared/find-text.ts')).FlowSearch, 'POST', '/api/v1/flows/search', {
    body,
  });
