import { z } from 'zod';
import {
  DeletedRuns,
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
import {
  CalledRun,
  DeadLetterPage,
  DeadLetterQuery,
  Delivery,
  DropManyBody,
  RetryBody,
  RetryManyBody,
  Retried,
  RunStatusQuery,
} from '#shared/calls-api.ts';
import { FlowTestCase } from '#shared/flow-test.ts';
import { RunDiff } from '#shared/run-diff.ts';
import { Recording } from '#shared/recording.ts';
import { RunSummary } from '#shared/run-event.ts';
import { RunTimeline } from '#shared/run-timeline.ts';
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
    'GET /api/v1/runs/:id/timeline': {
      summary:
        'Where its time and money went: a span for each node, with the runs that are parts of it, and the critical path.',
      guide: 'observability',
      data: RunTimeline,
      errors: notThere,
    },
    'GET /api/v1/runs/:id/export': {
      summary: 'The run with all that is kept of it, as a file.',
      content: { 'application/json': RunExport },
      errors: notThere,
    },
    'GET /api/v1/runs/:id/values/:hash': {
      summary: 'A value that was too large to stand in an event, by the hash that stands there.',
      data: z.unknown(),
      errors: ['run_not_found', 'run_value_not_found'],
    },
    'GET /api/v1/runs/:id/recording': {
      summary: 'The run with all that it got from outside, as a file for `weft replay`.',
      content: { 'application/json': Recording },
      errors: ['run_not_found', 'conflict'],
      guide: 'replay',
    },
    'GET /api/v1/runs/:id/diff/:other': {
      summary: 'What another run did differently: statuses, outputs and errors of the nodes that differ.',
      data: RunDiff,
      errors: ['run_not_found', 'conflict'],
    },
    'DELETE /api/v1/runs': {
      summary: 'Forgets the runs that the list with the same query gives, except those in progress.',
      query: RunListQuery,
      data: DeletedRuns,
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
      errors: [
        'run_not_found',
        'writes_need_yes',
        'flow_not_found',
        'flow_invalid',
        'conflict',
        'overloaded',
        'draining',
      ],
    },
    'POST /api/v1/runs/:id/test': {
      summary: 'Keeps the run as a test beside its flow.',
      body: KeepTestBody,
      bodyOptional: true,
      data: z.object({ file: z.string(), test: FlowTestCase }),
      status: 201,
      errors: ['run_not_found', 'flow_not_found', 'conflict', 'storage_failed'],
    },
    'POST /api/v1/runs/:id/retry': {
      summary:
        'Tries a run again that outlives its request and has failed: from the step that failed, as a new run.',
      guide: 'calling',
      body: RetryBody,
      bodyOptional: true,
      data: z.object({ run: z.string() }),
      status: 202,
      errors: ['run_not_found', 'run_not_retryable', 'overloaded', 'draining', 'storage_failed'],
    },
    'GET /api/v1/dead-letters': {
      summary: 'Runs that outlive their request and failed for good, newest first.',
      guide: 'calling',
      query: DeadLetterQuery,
      data: DeadLetterPage,
    },
    'POST /api/v1/dead-letters/retry': {
      summary: 'Tries several again; what cannot be tried stays, and is listed in `failed`.',
      body: RetryManyBody,
      data: Retried,
      errors: ['storage_failed'],
    },
    'POST /api/v1/dead-letters/drop': {
      summary: 'Takes several off the list; their runs stay in the history.',
      body: DropManyBody,
      data: z.object({ dropped: z.int() }),
      errors: ['storage_failed'],
    },
    'DELETE /api/v1/dead-letters/:id': {
      summary: 'Takes one off the list, by the id of its run.',
      data: z.null(),
      errors: ['run_not_found', 'storage_failed'],
    },
    'GET /api/v1/deliveries': {
      summary: 'Notices of ended runs (`notify` of their trigger) that did not arrive yet, or were given up.',
      guide: 'calling',
      data: z.array(Delivery),
    },
    'GET /api/v1/run-status/:id': {
      summary:
        'How a run stands that outlives its request, for the caller that was answered with 202 and this address.',
      guide: 'calling',
      query: RunStatusQuery,
      data: CalledRun,
      errors: notThere,
    },
    'GET /api/v1/schedules': {
      summary: 'When which flow will be started by its schedule.',
      data: z.array(Schedule),
    },
  },
};
