import type { ErrorEntry } from './entry.ts';

/** Errors of runs. */
export const runErrors = {
  run_timeout: {
    status: 504,
    meaning: 'The run took longer than its limit.',
    remedy: 'Raise `settings.timeoutMs` of the flow, or make it faster.',
  },
  run_cancelled: {
    status: 499,
    meaning: 'The run was cancelled.',
    remedy: 'Start it again if that was not intended.',
  },
  writes_need_yes: {
    status: 409,
    meaning: 'A partial run would execute nodes that change something outside and that were not requested.',
    remedy:
      'Repeat it with `allowWrites` (`--allow-write` on the command line) and the nodes in `detail`, or pin their outputs.',
  },
  node_timeout: {
    status: 504,
    meaning: 'A node took longer than its `timeoutMs`.',
    remedy: 'Raise the limit of the node, or give it a retry.',
    transient: true,
  },
  node_failed: {
    status: 500,
    meaning: 'A node failed with an error of its own.',
    remedy: 'Look at the run: it shows the node, its input and its error.',
    transient: true,
  },
  bad_params: {
    status: 500,
    meaning: 'The expression of a param gave a value that the operator does not accept.',
    remedy: 'Fix the expression in the field that the error names.',
  },
  bad_output: {
    status: 500,
    meaning: 'A node returned an output that it does not have.',
    remedy: 'Fix the operator.',
  },
  bad_operator: {
    status: 500,
    meaning: 'An operator file breaks a rule for operators, so it was left out.',
    remedy: 'Fix what the message lists; docs/operators.md has the rules.',
  },
  bad_code_flow: {
    status: 500,
    meaning: 'A flow written in code cannot be drawn.',
    remedy: 'Fix the file as the message says; docs/code-first.md has the rules.',
  },
  run_value_not_found: {
    status: 404,
    meaning: 'A large value of a run is not stored.',
    remedy:
      'The event holds its beginning. A value is deleted with its run; values over 10 MB, or on a full disk or under load, are not stored.',
  },
  replay_diverged: {
    status: 500,
    meaning: 'A replayed run took another path than the recorded one.',
    remedy:
      'Replay it with the version of the flow that was recorded, or look at the first event that differs.',
  },
  bad_input: {
    status: 422,
    meaning: 'A node got a value that it cannot handle.',
    remedy: 'Look at the run: it shows the node and its input.',
  },
  stopped: {
    status: 422,
    meaning: 'The flow stopped itself with an error.',
    remedy: 'The message is the flow author’s.',
  },
  assertion_failed: {
    status: 422,
    meaning: 'The condition of an assert node did not hold.',
    remedy: 'The message is the flow author’s; the run shows the value that was checked.',
  },
  missing_field: {
    status: 422,
    meaning: 'An expression read a field that is not there.',
    remedy: 'Write `a?.b` or `a ?? fallback` if the field may be missing.',
  },
  schedule_not_found: {
    status: 404,
    meaning: 'No live flow has a schedule at this node.',
    remedy:
      'GET /api/v1/schedules lists the schedules of live flows. Publish the flow if its schedule is new.',
  },
  node_skipped: {
    status: 422,
    meaning: 'An expression read the output of a node that was skipped.',
    remedy: 'Write `nodes.x?.…` if the node may be skipped.',
  },
  expression_type: {
    status: 422,
    meaning: 'An expression used a value of the wrong type.',
    remedy: 'Convert it, such as with `number(…)` or `string(…)`.',
  },
  bad_date: {
    status: 422,
    meaning: 'A date, a time zone, a unit or a format in an expression does not exist.',
    remedy: 'The message says how to write it.',
  },
  expression_budget: {
    status: 422,
    meaning: 'An expression needed more than 100,000 steps or 1 MB of text.',
    remedy: 'Do the heavy part in an operator or code node.',
  },
  bad_number: {
    status: 422,
    meaning: 'A number that is not finite (NaN, Infinity) would have been written as text or JSON.',
    remedy: 'Check the division or conversion that produced it.',
  },
  bad_response: {
    status: 500,
    meaning: 'The flow answered with a status or header that cannot be sent.',
    remedy: 'Fix the respond node, or `response` of the trigger, as the message says.',
  },
  second_response: {
    status: 500,
    meaning: 'Two respond nodes fired in one run.',
    remedy: 'Put them on exclusive branches.',
  },
  ambiguous_result: {
    status: 500,
    meaning: 'Several leaves were live at the end, so the result is not defined.',
    remedy: 'Join or merge them, or add a respond node.',
  },
  value_too_large: {
    status: 413,
    meaning: 'A value is larger than 10 MB as JSON.',
    remedy: 'Pass less data through the flow.',
  },
  too_many_items: {
    status: 422,
    meaning: 'A stream or list has more items than the node takes.',
    remedy: 'Raise `maxItems` of the node, or send fewer items.',
  },
  empty_stream: {
    status: 422,
    meaning: 'A stream that is reduced to one value had no items.',
    remedy: 'Give the node an `initial` value, which is then the result.',
  },
  not_serialisable: {
    status: 500,
    meaning: 'A value cannot be written as JSON (a cycle, a function, a BigInt).',
    remedy: 'Return plain JSON values from the node.',
  },
  stream_buffer_full: {
    status: 500,
    meaning: 'Two consumers of one stream wait for each other and the buffer reached its limit.',
    remedy: 'Collect the stream before one of them, or raise `settings.maxStreamBuffer` of the flow.',
  },
  service_missing: {
    status: 500,
    meaning: 'A node needs a service that is not available where the flow runs.',
    remedy: 'Run it on a server, or with the options that the message names.',
  },
  stream_not_read: {
    status: 500,
    meaning: 'A stream arrived at an input that needs a value.',
    remedy: 'Insert a collect node (`core.unstreamify`).',
  },
} as const satisfies Record<string, ErrorEntry>;

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
