import { z } from 'zod';
import {
  ForkRunBody,
  KeepTestBody,
  RunEventPage,
  RunEventsQuery,
  RunExport,
  RunListQuery,
  RunPage,
  Schedule,
  StartedRun,
} from '#shared/api.ts';
import { FlowTestCase } from '#shared/flow-test.ts';
import { RunSummary } from '#shared/run-event.ts';
import type { RouteGroup } from '../description.ts';

const notThere = ['run_not_found'] as const;

export const runs: RouteGroup = {
  tag: 'Runs',
  routes: {
    'GET /api/v1/runs': {
      summary:
        'Runs, newest first. What other runs started as a part of themselves is left out unless asked for.',
      query: RunListQuery,
      data: RunPage,
    },
    'GET /api/v1/runs/:id': { summary: 'One run.', data: RunSummary, errors: notThere },
    'GET /api/v1/runs/:id/events': {
      summary: 'Its events after a sequence number; holes are announced.',
      query: RunEventsQuery,
      data: RunEventPage,
      errors: notThere,
    },
    'GET /api/v1/runs/:id/export': {
      summary: 'The run with all that is kept of it, as a file.',
      content: { 'application/json': RunExport },
      errors: notThere,
    },
    'DELETE /api/v1/runs/:id': {
      summary: 'Forgets a run that has ended.',
      data: z.null(),
      errors: ['run_not_found', 'conflict'],
    },
    'POST /api/v1/runs/:id/cancel': {
      summary: 'Cancels a run.',
      data: z.object({ run: z.string() }),
      status: 202,
      errors: ['run_not_found', 'conflict'],
    },
    'POST /api/v1/runs/:id/fork': {
      summary:
        'Starts a run that uses the outputs of this one, from a node on or with outputs of your own; answers as a start does.',
      body: ForkRunBody,
      bodyOptional: true,
      data: StartedRun,
      errors: ['run_not_found', 'flow_not_found', 'flow_invalid', 'conflict', 'overloaded', 'draining'],
    },
    'POST /api/v1/runs/:id/test': {
      summary: 'Keeps the run as a test beside its flow.',
      body: KeepTestBody,
      bodyOptional: true,
      data: z.object({ file: z.string(), test: FlowTestCase }),
      status: 201,
      errors: ['run_not_found', 'flow_not_found', 'conflict', 'storage_failed'],
    },
    'GET /api/v1/schedules': {
      summary: 'When which flow will be started by its schedule.',
      data: z.array(Schedule),
    },
  },
};
