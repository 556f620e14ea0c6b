import { z } from 'zod';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

/** `/api/v1/schedules`: the next starts of flows. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/schedules',
    scope: 'flows:read',
    tag: 'Runs',
    summary: 'List flows with a schedule and when each starts next.',
    answer: async () => z.array((await api()).Schedule),
    handle: ({ schedules }) => schedules.list(),
  }),
];
