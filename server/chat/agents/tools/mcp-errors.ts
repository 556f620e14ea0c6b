import { WeftError } from '#engine';
import { brokenOff } from './mcp-streams.ts';

/** The SDK's error code for a timeout. */
const REQUEST_TIMEOUT = -32001;
/** The most characters of another server's message that are kept, for the log. */
const MAX_KEPT = 10_000;
/** The most characters of it that an agent receives, as data. */
const MAX_SAID = 200;

/** The status of an HTTP answer, if that was the failure. An error in the answer itself may have the same number as its code. */
export function statusOf(error: unknown): number | undefined {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  if (name === 'McpError') return undefined;
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined;
}

/**
 * An error of a session with a code and message of Weft, since agents receive the message among their instructions. The message
 * of the server is in `data.said`.
 */
export function mcpError(error: unknown, { name }: { readonly name: string }): unknown {
  if (error instanceof WeftError) return error;
  const broken = brokenOff(error);
  if (broken) return broken;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const server = `The MCP server ${name}`;
  if (code === REQUEST_TIMEOUT || (error as Error).name === 'TimeoutError')
    return new WeftError('outbound_timeout', `${server} did not answer in time.`);
  const status = statusOf(error);
  const said = String(message).slice(0, MAX_KEPT);
  if (status !== undefined) {
    const text = `${server} answered with the status ${status}. ${adviceOn(status)}`;
    return new WeftError('outbound_failed', text.trim(), { data: { status, said } });
  }
  const text =
    typeof code === 'number'
      ? `${server} answered with the error ${code}.`
      : `${server} sent an answer that does not follow the protocol.`;
  return new WeftError('outbound_failed', text, {
    data: { ...(typeof code === 'number' && { code }), said },
  });
}

function adviceOn(status: number): string {
  if (status === 401 || status === 403) return 'Check `auth` and `headers` of the resource.';
  if (status === 400 || status === 404 || status === 405 || status === 406)
    return 'Its address must be that of Streamable HTTP, or of the older HTTP with SSE.';
  return '';
}

/** The error with an excerpt of the server's message, quoted: for the result of a call, which models treat as data. */
export function quotingError(error: unknown): unknown {
  if (!(error instanceof WeftError)) return error;
  const { said } = (error.data ?? {}) as { readonly said?: unknown };
  if (typeof said !== 'string' || said === '') return error;
  const text = `${error.message} It says: ${JSON.stringify(said.slice(0, MAX_SAID))}`;
  return new WeftError(error.code, text, { data: error.data, transient: error.transient });
}
