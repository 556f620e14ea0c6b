import type { ErrorEntry } from './entry.ts';

/** Sub-flows, and the state that flows store. */
export const subFlowErrors = {
  sub_flow_depth: {
    status: 500,
    meaning: 'Flows called each other more than 16 levels deep.',
    remedy: 'Add a case in which the flow calls no other.',
  },
  sub_flow_missing: {
    status: 500,
    meaning: 'A node calls a flow that is not live.',
    remedy: 'Publish that flow, or name another one in `flow` of the calling node.',
  },
  sub_flow_trigger: {
    status: 500,
    meaning: 'It is not clear at which trigger a called flow starts.',
    remedy: 'Name one of its triggers in `trigger` of the calling node.',
  },
  sub_flow_refused: {
    status: 502,
    meaning: 'A called flow answered with an error status.',
    remedy: 'Look at `data`: it has the status and the body; route the error if it is expected.',
  },
  too_many_rounds: {
    status: 422,
    meaning: 'A loop did not end within its maximum number of rounds.',
    remedy: 'Raise `maxRounds` of the node, or fix the condition in `until`.',
  },
  bad_state: {
    status: 422,
    meaning: 'A stored value is not of the kind that the node needs.',
    remedy: 'Store a number under the key before adding to it, or use another key.',
  },
} as const satisfies Record<string, ErrorEntry>;
