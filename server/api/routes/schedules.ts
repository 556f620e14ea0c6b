import { z } from 'zod';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');
const packageApi = () => import('#shared/package-api.ts');

/** `/api/v1/schedules` and `/api/v1/sources`: triggers that start flows by themselves. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/schedules',
    scope: 'flows:read',
    tag: 'Runs',
    summary:
      'List flows with a schedule and when each starts next, here or on another server of the same flows.',
    answer: async () => z.array((await api()).Schedule),
    handle: ({ schedules, flows }) => schedules.list((id) => flows.live(id)),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/v1/sources',
    scope: 'flows:read',
    tag: 'Runs',
    summary: 'List the sources of live flows: whether they listen, when the last item came, and what failed.',
    answer: async () => z.array((await packageApi()).Source),
    handle: ({ sources, flows }) => sources.list((id) => flows.live(id)),
  }),
];
