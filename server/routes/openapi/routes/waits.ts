import { DecideBody, WaitInfo, WaitListQuery, WaitPage } from '#shared/wait.ts';
import type { RouteGroup } from '../description.ts';

const page = { 'text/html': undefined };

export const waits: RouteGroup = {
  tag: 'Waits',
  routes: {
    'GET /api/v1/waits': {
      summary: 'What runs ask people, the longest open first; by default what is still to be decided.',
      guide: 'waiting',
      query: WaitListQuery,
      data: WaitPage,
    },
    'GET /api/v1/waits/:id': {
      summary: 'One question of a run. Its id is `<run>.<node>`.',
      data: WaitInfo,
      errors: ['wait_not_found'],
    },
    'POST /api/v1/waits/:id/decide': {
      summary:
        'Approves, rejects or fills in. The first decision counts, and is on disk when this answers; it may come before the run asks.',
      guide: 'waiting',
      body: DecideBody,
      data: WaitInfo,
      errors: ['wait_not_found', 'wait_decided', 'wait_expired', 'wait_void', 'wait_answer_invalid'],
    },
    'GET /wait/:id': {
      summary: 'A page where somebody with the link decides, without a login.',
      content: page,
      errors: ['wait_not_found', 'forbidden'],
    },
    'POST /wait/:id': {
      summary: 'Takes what that page sends, and leads back to it.',
      uploads: ['application/x-www-form-urlencoded'],
      content: page,
      status: 303,
      errors: ['wait_decided', 'wait_expired', 'wait_void', 'wait_answer_invalid', 'forbidden'],
    },
  },
};
