import { compileRunsKey } from '../../expr/index.ts';
import { type CheckContext, didYouMean } from '../../flow/context.ts';

/** Settings of the flow that name another flow, hold an expression, or have no effect on their own. */
export function checkSettings(context: CheckContext): void {
  // A body has those of the flow.
  if (context.outside) return;
  checkRunsKey(context);
  checkTimezone(context);
  checkOnFailure(context);
  checkNotify(context);
  checkMcp(context);
}

function checkMcp({ flow: { settings }, report }: CheckContext): void {
  if (settings?.mcp !== false || (settings.mcpGroups ?? []).length === 0) return;
  const message = '`mcpGroups` has no effect with `mcp: false`: the flow is no tool in any group.';
  report({ code: 'bad-setting', severity: 'warning', message, path: ['settings', 'mcpGroups'] });
}

function checkRunsKey({ flow: { settings }, report }: CheckContext): void {
  const key = settings?.maxRunsKey;
  if (key === undefined) return;
  const compiled = compileRunsKey(key);
  const path = ['settings', 'maxRunsKey'];
  if ('errors' in compiled) {
    const [problem] = compiled.errors;
    const message = `\`maxRunsKey\` sees only \`trigger\`: ${problem?.message ?? 'this is not an expression.'}`;
    report({ code: 'bad-setting', message, path, offset: problem?.offset ?? 0 });
  }
  if (settings?.maxRuns !== undefined) return;
  const message = '`maxRunsKey` says which runs count together; without `maxRuns`, no runs are counted.';
  report({ code: 'bad-setting', severity: 'warning', message, path });
}

function checkTimezone({ flow: { settings }, report }: CheckContext): void {
  const zone = settings?.timezone;
  if (zone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    const message = `There is no time zone ${JSON.stringify(zone)}; write it like Europe/Oslo or UTC.`;
    report({ code: 'bad-setting', message, path: ['settings', 'timezone'] });
  }
}

/** The other flow can come and go, so it does not keep this one from going live. */
function checkOnFailure({ flow, world, report, nearest }: CheckContext): void {
  const target = flow.settings?.onFailure;
  if (target === undefined || world.flows === undefined || target === flow.id) return;
  const known = world.flows.find(({ id }) => id === target);
  const path = ['settings', 'onFailure'];
  if (known === undefined) {
    const meant = didYouMean(
      nearest(
        target,
        world.flows.map(({ id }) => id),
      ),
    );
    const message = `No live flow has the id \`${target}\`, so nothing is started when a run fails.${meant}`;
    report({ code: 'unknown-flow', severity: 'warning', message, path });
  } else if (known.triggers !== undefined && known.triggers.length !== 1) {
    const message = `The flow \`${target}\` must have one trigger to be started when a run fails; it has ${known.triggers.length}.`;
    report({ code: 'ambiguous-trigger', severity: 'warning', message, path });
  }
}

function checkNotify({ flow, nodes, report }: CheckContext): void {
  if (flow.settings?.durable !== false) return;
  for (const { id, node } of nodes.values()) {
    if (node.operator !== 'trigger.http' || node.params?.['notify'] === undefined || node.disabled) continue;
    const message = '`notify` is for runs that outlive their request, and `settings.durable` is false.';
    report({ code: 'bad-setting', severity: 'warning', message, node: id, path: ['params', 'notify'] });
  }
}
