import type { OutputPort } from '#shared/catalog.ts';
import { effectsOf, isIdempotent, mayRetry } from '../../flow/by-param.ts';
import { type CheckContext, didYouMean, type NodeView } from '../../flow/context.ts';
import { hasTemplate } from '../../expr/index.ts';
import { ERROR_PORT } from '../../flow/ports.ts';
import { issueMessage } from '../../flow/issue-sentence.ts';
import { formatPath, type Path } from '../../flow/field-path.ts';
import { compiledSchema } from '../../flow/schemas.ts';

/** The failure handling of nodes: routed errors have an edge, fallbacks fit, a retried write is safe. */
export function checkFailures(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    if (view.node.onError === 'route') checkRoute(context, view);
    if (view.node.onError === 'continue' && view.info) checkFallback(context, view);
    checkRetry(context, view);
  }
}

function checkRoute({ report }: CheckContext, { id, outgoing }: NodeView): void {
  if (outgoing.some((edge) => edge.fromPort === ERROR_PORT)) return;
  report({
    code: 'unrouted-error',
    message: `\`${id}\` routes its errors, but no edge leaves its output \`error\`; connect it, or set \`onError\` to \`fail\`.`,
    node: id,
    path: ['onError'],
    fix: { kind: 'set-field', title: 'Let errors end the run', node: id, field: 'onError', value: 'fail' },
  });
}

function checkFallback(context: CheckContext, view: NodeView): void {
  const { id, node, ports } = view;
  const bad = (path: readonly string[], message: string) =>
    context.report({ code: 'bad-fallback', message, node: id, path: ['fallback', ...path] });
  if (node.fallback === undefined) {
    if (ports.outputs.length === 0) return;
    const example = `{ "${ports.outputs[0]?.name ?? 'out'}": null }`;
    bad(
      [],
      `\`${id}\` continues after an error, but has no \`fallback\` to continue with; give one, such as ${example}.`,
    );
    return;
  }
  for (const [name, value] of Object.entries(node.fallback)) {
    const port = ports.outputs.find((output) => output.name === name);
    if (!port) {
      const meant = context.nearest(
        name,
        ports.outputs.map((output) => output.name),
      );
      bad(
        [name],
        `\`${id}\` has no output \`${name}\` that a fallback could stand in for.${didYouMean(meant)}`,
      );
      // A node that runs once per item uses it for each item that fails.
    } else if (port.kind !== 'value' && context.kinds.get(`${id}.${name}`) === 'stream') {
      bad([name], `The output \`${name}\` of \`${id}\` is a stream, which no fallback can stand in for.`);
    } else {
      checkFallbackValue(context, id, port, value);
      checkFallbackTexts(context, id, value, [name]);
    }
  }
}

function checkFallbackValue({ report }: CheckContext, id: string, port: OutputPort, value: unknown): void {
  const result = port.schema && compiledSchema(port.schema)?.safeParse(value);
  const issue = result?.error?.issues[0];
  if (!issue) return;
  const path = [
    'fallback',
    port.name,
    ...issue.path.map((key) => (typeof key === 'number' ? key : String(key))),
  ];
  report({ code: 'bad-fallback', message: issueMessage(issue, formatPath(path)), node: id, path });
}

/** A fallback is plain data: text that looks like an expression is output as text. */
function checkFallbackTexts(context: CheckContext, id: string, value: unknown, path: Path): void {
  if (typeof value === 'string' && hasTemplate(value)) {
    const message = `\`{{ }}\` is not evaluated in a fallback, which is plain data, so \`${id}\` would give it as a text. To compute a value, set \`onError\` to \`route\` and connect the output \`error\` with a Map.`;
    context.report({
      code: 'bad-fallback',
      severity: 'warning',
      message,
      node: id,
      path: ['fallback', ...path],
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value))
      checkFallbackTexts(context, id, part, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function checkRetry({ report }: CheckContext, { id, node, info }: NodeView): void {
  if (!info || !node.retry || node.retry.attempts < 2) return;
  if (!mayRetry(node, info))
    report({
      code: 'idle-retry',
      severity: 'warning',
      message: `\`${id}\` has \`retry\`, but what its code throws is final; throw an error with \`retryable: true\`, as \`throw Object.assign(new Error('…'), { retryable: true })\` does, to have it tried again.`,
      node: id,
      path: ['retry'],
      fix: { kind: 'set-field', title: 'Remove the retry', node: id, field: 'retry' },
    });
  if (effectsOf(node, info) !== 'write' || isIdempotent(node, info)) return;
  report({
    code: 'write-without-key',
    severity: 'warning',
    message: `\`${id}\` is tried again after a failure, but cannot tell the other side that it is the same write; it may happen twice.`,
    node: id,
    path: ['retry'],
  });
}
