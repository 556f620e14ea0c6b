import { expect, onTestFinished, test, vi } from 'vitest';
import type { Asker, HttpRequest, RunClaim } from '#engine';
import { startDeadline } from './deadline.ts';
import { createOutbound } from './outbound.ts';
import { asker } from './testing/ask.ts';
import { startSite } from './testing/victim.ts';

const never = new AbortController().signal;

/** A claim that says in turn whether it is known to hold; the last answer stays. */
function claimOf(...fresh: boolean[]): RunClaim & { readonly prove: ReturnType<typeof vi.fn> } {
  return {
    isFresh: () => (fresh.length > 1 ? fresh.shift() : fresh[0]) === true,
    prove: vi.fn(async () => {}),
  };
}

/** Somebody else's server, and requests to it for a run under this claim. */
async function site(claim: RunClaim, resolve = async () => ['127.0.0.1']) {
  const bodies: string[] = [];
  const { port } = await startSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      bodies.push(body);
      response.end('ok');
    });
  });
  const outbound = createOutbound({ allow: [`site.test:${port}`], resolve });
  onTestFinished(() => outbound.close());
  const by: Asker = { ...asker, claim };
  const url = `http://site.test:${port}/`;
  const send = async (body: HttpRequest['body']): Promise<number> => {
    const request = {
      method: 'POST',
      url,
      headers: {},
      body,
      redirects: 0,
      timeoutMs: 60_000,
      maxBytes: 1000,
    };
    const answer = await outbound.send(request, by, never);
    for await (const _ of answer.body);
    return answer.status;
  };
  return { bodies, send };
}

test('OH1: a request whose claim was lost while its name was looked up is not sent', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let isFresh = true;
  const prove = vi.fn(() => Promise.reject(new Error('executed elsewhere')));
  const { bodies, send } = await site({ isFresh: () => isFresh, prove }, async () => {
    asked.resolve();
    await answered.promise;
    return ['127.0.0.1'];
  });
  const sent = send('once');
  await asked.promise;
  // As after a process was stopped and continued.
  isFresh = false;
  answered.resolve();
  await expect(sent).rejects.toThrow('executed elsewhere');
  expect(bodies).toEqual([]);
  expect(prove).toHaveBeenCalledTimes(1);
});

test.each([
  ['before it begins', [false, true]],
  ['when its connection is open', [true, false, false, true]],
  ['again and again', [false, false, false, true]],
])('OH1: a request whose claim is in doubt %s is sent once it is known to hold, once', async (_, fresh) => {
  const claim = claimOf(...fresh);
  const { bodies, send } = await site(claim);
  expect(await send('whole')).toBe(200);
  expect(bodies).toEqual(['whole']);
  expect(claim.prove).toHaveBeenCalled();
});

test('OH1: a body in pieces is sent whole after such a wait, also over a connection that was open', async () => {
  const claim = claimOf(true, true, true, false, false, true);
  const { bodies, send } = await site(claim);
  expect(await send('first')).toBe(200);
  expect(await send(['in ', 'pieces'])).toBe(200);
  expect(bodies).toEqual(['first', 'in pieces']);
  expect(claim.prove).toHaveBeenCalledTimes(1);
});

test('the time of a deadline does not go on while a claim is asked for, and its run still ends it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const run = new AbortController();
  const deadline = startDeadline(1000, run.signal);
  onTestFinished(() => deadline.end());
  const proof = Promise.withResolvers<void>();
  const waited = deadline.without(proof.promise);
  await vi.advanceTimersByTimeAsync(5000);
  expect(deadline.signal.aborted).toBe(false);
  proof.resolve();
  await waited;
  await vi.advanceTimersByTimeAsync(999);
  expect(deadline.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(deadline.reason).toMatchObject({ code: 'outbound_timeout' });
  const other = startDeadline(1000, run.signal);
  const ended = other.without(new Promise(() => {}));
  run.abort(new Error('The run has ended.'));
  await expect(ended).rejects.toThrow('The run has ended.');
});
