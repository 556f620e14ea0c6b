/**
 * A source: `sample.messages` starts a run for each message that a server hands out, and tells that server when the run
 * is on disk.
 */
export default ({ defineOperator, output, z }) =>
  defineOperator({
    title: 'Messages',
    doc: 'Starts the flow with each message of a message server.',
    icon: 'inbox',
    params: z.object({
      url: z.url().describe('The address of the message server.'),
      everyMs: z.int().min(10).default(1000).describe('Milliseconds between two questions for messages.'),
    }),
    inputs: {},
    outputs: {
      out: output({ doc: 'The message.', schema: z.object({ id: z.string(), text: z.string() }) }),
    },
    effects: 'read',
    trigger: true,
    examples: [
      {
        title: 'One message',
        params: { url: 'https://api.example.com/messages' },
        outputs: { out: { id: '1', text: 'Hello' } },
      },
    ],
    async listen(call) {
      const { url, everyMs } = call.params;
      while (!call.signal.aborted) {
        const messages = JSON.parse(await ask(call, 'GET', url));
        for (const message of messages) {
          // Resolves when the run is on disk. A message that comes again starts no other run.
          await call.emit({ id: message.id, value: message });
          await ask(call, 'DELETE', `${url}/${encodeURIComponent(message.id)}`);
        }
        call.works();
        await call.sleep(everyMs);
      }
    },
  });

async function ask(call, method, url) {
  const answer = await call.service('http').send(
    {
      method,
      url,
      headers: { accept: 'application/json' },
      body: undefined,
      redirects: 3,
      timeoutMs: 30_000,
      maxBytes: 1_000_000,
    },
    call.asker,
    call.signal,
  );
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of answer.body) text += decoder.decode(piece, { stream: true });
  // What is thrown here is shown with the trigger, and the source is started again after a pause.
  if (answer.status >= 400) throw new Error(`The message server answered with ${answer.status}.`);
  return text;
}
