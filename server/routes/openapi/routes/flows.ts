import { z } from 'zod';
import {
  CheckFlowBody,
  CheckResult,
  CreateFlowBody,
  DiffQuery,
  FlowDetail,
  FlowDiff,
  FlowQuery,
  FlowSummary,
  FlowVersion,
  LabelBody,
  LayoutBody,
  NodeOutputs,
  PinBody,
  RenamePinBody,
  PublishBody,
  RevisionBody,
  SaveFlowBody,
  StartedRun,
  StartRunBody,
} from '#shared/api.ts';
import { FlowTestList, FlowTestReport, RenameTestBody, RunTestsBody } from '#shared/flow-test-api.ts';
import { Layout } from '#shared/layout.ts';
import { ListenBody } from '../../test-triggers.ts';
import type { RouteGroup } from '../description.ts';

const notThere = ['flow_not_found'] as const;
const saving = [
  'flow_not_found',
  'revision_conflict',
  'publish_conflict',
  'read_only',
  'storage_failed',
] as const;

const Heard = z.object({
  run: z.string().nullable(),
  request: z.object({ method: z.string(), path: z.string(), query: z.string() }).nullable(),
});

export const flows: RouteGroup = {
  tag: 'Flows',
  routes: {
    'GET /api/v1/flows': {
      summary: 'All flows with state, triggers and problems.',
      query: FlowQuery,
      data: z.array(FlowSummary),
    },
    'POST /api/v1/flows': {
      summary: 'Makes a flow.',
      body: CreateFlowBody,
      data: FlowDetail,
      status: 201,
      errors: ['conflict', 'publish_conflict', 'read_only', 'storage_failed'],
    },
    'POST /api/v1/flows/check': {
      summary: 'The problems of a flow that is not saved.',
      body: CheckFlowBody,
      data: CheckResult,
    },
    'GET /api/v1/flows/:id': {
      summary: 'A flow with its text, its layout and its revision: the draft, if there is one.',
      data: FlowDetail,
      errors: notThere,
    },
    'PUT /api/v1/flows/:id': {
      summary:
        'Saves. Goes live at once (WEFT_DEPLOY=on-save) unless the flow has errors; then only the draft is kept.',
      body: SaveFlowBody,
      data: FlowDetail,
      errors: saving,
    },
    'DELETE /api/v1/flows/:id': {
      summary: 'Removes a flow. Its file is kept in the data folder’s trash.',
      query: RevisionBody,
      data: z.null(),
      errors: saving,
    },
    'POST /api/v1/flows/:id/publish': {
      summary: 'Makes the draft the live version.',
      body: PublishBody,
      data: FlowDetail,
      errors: [...saving, 'conflict', 'flow_invalid'],
    },
    'POST /api/v1/flows/:id/discard': {
      summary: 'Drops the draft.',
      body: RevisionBody,
      data: FlowDetail,
      errors: [...saving, 'conflict'],
    },
    'GET /api/v1/flows/:id/layout': {
      summary: 'Positions and notes.',
      data: Layout.nullable(),
      errors: notThere,
    },
    'PUT /api/v1/flows/:id/layout': {
      summary: 'Saves positions and notes; never touches what runs.',
      body: LayoutBody,
      data: Layout,
      errors: ['flow_not_found', 'read_only', 'storage_failed'],
    },
    'GET /api/v1/flows/:id/diff': {
      summary: 'What was changed between two versions, in the terms of the flow.',
      query: DiffQuery,
      data: FlowDiff,
      errors: ['flow_not_found', 'version_not_found', 'conflict'],
    },
    'GET /api/v1/flows/:id/versions': {
      summary: 'Versions that were live, newest first.',
      data: z.array(FlowVersion),
      errors: notThere,
    },
    'GET /api/v1/flows/:id/versions/:version': {
      summary: 'The text of a version.',
      data: z.object({ version: z.string(), text: z.string() }),
      errors: ['flow_not_found', 'version_not_found'],
    },
    'POST /api/v1/flows/:id/versions/:version/restore': {
      summary: 'Makes a version live again.',
      body: RevisionBody,
      data: FlowDetail,
      errors: [...saving, 'version_not_found'],
    },
    'PUT /api/v1/flows/:id/versions/:version/label': {
      summary: 'Names a version; null takes the name away.',
      body: LabelBody,
      data: z.object({ version: z.string(), label: z.string().nullable() }),
      errors: ['flow_not_found', 'version_not_found', 'read_only', 'storage_failed'],
    },
    'POST /api/v1/flows/:id/listen': {
      summary: 'Waits for the next call of the draft’s test URL; `run` is null when none came.',
      body: ListenBody,
      bodyOptional: true,
      data: Heard,
      errors: ['flow_not_found', 'conflict', 'draining'],
    },
    'POST /api/v1/flows/:id/run': {
      summary:
        'Starts a run at a trigger with a given input, whole or in part. Answers when it has ended; with `"wait": false` at once, with 202.',
      body: StartRunBody,
      bodyOptional: true,
      data: StartedRun,
      errors: [
        'flow_not_found',
        'run_not_found',
        'flow_invalid',
        'conflict',
        'writes_need_yes',
        'overloaded',
        'draining',
      ],
    },
    'GET /api/v1/flows/:id/tests': {
      summary: 'The tests of a flow, and the file that they lie in.',
      data: FlowTestList,
      errors: ['flow_not_found', 'conflict'],
    },
    'POST /api/v1/flows/:id/tests/run': {
      summary: 'Runs tests against the draft (the file where there is none), and tells what they covered.',
      body: RunTestsBody,
      bodyOptional: true,
      data: FlowTestReport,
      errors: ['flow_not_found', 'flow_invalid', 'conflict', 'storage_failed'],
    },
    'PUT /api/v1/flows/:id/tests/:name': {
      summary: 'Gives a test another name.',
      body: RenameTestBody,
      data: z.object({ name: z.string() }),
      errors: ['flow_not_found', 'test_not_found', 'conflict', 'storage_failed'],
    },
    'DELETE /api/v1/flows/:id/tests/:name': {
      summary: 'Removes a test.',
      data: z.null(),
      errors: ['flow_not_found', 'test_not_found', 'conflict', 'storage_failed'],
    },
    'GET /api/v1/flows/:id/pins': {
      summary: 'Outputs that runs by hand use instead of carrying their nodes out, by node and port.',
      data: NodeOutputs,
      errors: notThere,
    },
    'PUT /api/v1/flows/:id/pins/:node': {
      summary: 'Pins the outputs of a node.',
      body: PinBody,
      data: NodeOutputs,
      errors: ['flow_not_found', 'storage_failed'],
    },
    'POST /api/v1/flows/:id/pins/:node/rename': {
      summary: 'Keeps the pin of a node that has another id now; without a pin nothing changes.',
      body: RenamePinBody,
      data: NodeOutputs,
      errors: ['flow_not_found', 'storage_failed'],
    },
    'DELETE /api/v1/flows/:id/pins/:node': {
      summary: 'Lets a node run again.',
      data: NodeOutputs,
      errors: ['flow_not_found', 'storage_failed'],
    },
  },
};
