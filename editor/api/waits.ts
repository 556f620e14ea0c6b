import type { DecideBody, WaitInfo, WaitPage, WaitStatus } from '#shared/wait.ts';
import { call } from './client.ts';

/** Questions of runs to people. */
const WAITS = '/api/v1/waits';
const schemas = () => import('./service-schemas.ts');

/** Open ones with the oldest first, others with the newest first; `after` is `next` of the page before. */
export const listWaits = (status: WaitStatus = 'open', after?: string): Promise<WaitPage> =>
  call(
    async () => (await schemas()).WaitPage,
    'GET',
    `${WAITS}?${new URLSearchParams({ limit: '500', status, ...(after !== undefined && { after }) })}`,
  );

export const getWait = (id: string): Promise<WaitInfo> =>
  call(async () => (await schemas()).WaitInfo, 'GET', `${WAITS}/${encodeURIComponent(id)}`);

/** Throws `wait_decided` if somebody was quicker, and `wait_answer_invalid` with the problems by field. */
export const decideWait = (id: string, body: DecideBody): Promise<WaitInfo> =>
  call(async () => (await schemas()).WaitInfo, 'POST', `${WAITS}/${encodeURIComponent(id)}/decide`, { body });
