/** An operator that uses a connection: the administrator gives it address and credentials, which it never sees. */
export default ({ defineOperator, literal, optionalInput, output, z, WeftError }) =>
  defineOperator({
    title: 'Contacts',
    doc: 'Reads the contacts of a service.',
    icon: 'contact',
    params: z.object({
      connection: literal(
        z
          .string()
          .regex(/^[a-z][a-z0-9_]{0,63}$/)
          .describe('The name of a connection to the service.')
          .meta({ widget: 'connection', kinds: ['http'] }),
      ),
      limit: z.int().min(1).max(1000).default(100).describe('The most contacts.'),
    }),
    inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
    outputs: { out: output({ doc: 'The contacts, as the service gives them.' }) },
    effects: 'read',
    examples: [
      {
        title: 'Two contacts',
        params: { connection: 'crm', limit: 2 },
        outputs: { out: { method: 'GET', url: 'https://crm.example.com/contacts?limit=2' } },
      },
    ],
    async run(call) {
      const { connection, limit } = call.params;
      const answer = await call.service('http').send(
        {
          method: 'GET',
          connection,
          // Below the address of the connection, which adds its credentials.
          url: `/contacts?limit=${limit}`,
          headers: { accept: 'application/json' },
          body: undefined,
          redirects: 3,
          timeoutMs: 30_000,
          maxBytes: 10_000_000,
        },
        call.asker,
        call.signal,
      );
      let text = '';
      const decoder = new TextDecoder();
      for await (const piece of answer.body) text += decoder.decode(piece, { stream: true });
      if (answer.status >= 400)
        throw new WeftError('bad_answer', `The service answered with ${answer.status}.`);
      return JSON.parse(text);
    },
  });
