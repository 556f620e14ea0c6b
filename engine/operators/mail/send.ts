import { z } from 'zod';
import { handleOf } from '#shared/file.ts';
import { type Call, defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';
import { addressesOf, addressesParam, smtpParam } from './_params.ts';

const Sent = z.object({
  messageId: z.string(),
  accepted: z.array(z.string()),
  rejected: z.array(z.object({ address: z.string(), reason: z.string() })),
  response: z.string(),
});

const params = z.object({
  connection: smtpParam,
  to: addressesParam
    .optional()
    .describe('Recipients: Ada <ada@example.com>, several separated by commas, or a list.'),
  subject: z.string().max(2000).default('').describe('The subject.'),
  text: z.string().optional().describe('The mail as plain text.').meta({ widget: 'textarea' }),
  html: z
    .string()
    .optional()
    .describe('The mail as HTML, beside the text or in its place. Markdown to HTML makes it of Markdown.')
    .meta({ widget: 'textarea' }),
  attachments: z
    .unknown()
    .optional()
    .describe('A file or a list of files, such as {{ nodes.report.out }}.')
    .meta({ widget: 'value' }),
  from: z.string().max(1000).optional().describe('The sender; that of the connection if it is left out.'),
  cc: addressesParam.optional().describe('Who gets a copy.'),
  bcc: addressesParam.optional().describe('Who gets a copy that the others do not see.'),
  replyTo: addressesParam
    .optional()
    .describe('Where answers go, if not to the sender.')
    .meta({ title: 'Reply to' }),
  inReplyTo: z
    .string()
    .max(1000)
    .optional()
    .describe('The message id of the mail that this one answers: it then stands in the same conversation.')
    .meta({ title: 'In reply to' }),
  maxBytes: z
    .int()
    .min(1)
    .max(100_000_000)
    .default(20_000_000)
    .describe('Most bytes of all attachments together; mail servers rarely take more than 25 MB.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(60_000)
    .describe('Time limit in milliseconds, including the wait for a connection.'),
});

export default defineOperator({
  title: 'Send mail',
  doc: 'Sends a mail through a mail server, as text or HTML, with files. Each attempt of a node has the same message id, by which mail programs know a mail that came twice.',
  icon: 'mail',
  summary: '{to}[: {subject}]',
  synonyms: 'email, send email, e-mail, smtp, gmail, outlook, notify by mail, mailer, newsletter, reply',
  params,
  options: {
    Content: ['html', 'inReplyTo'],
    Addresses: ['from', 'cc', 'bcc', 'replyTo'],
    Limits: ['maxBytes', 'timeoutMs'],
  },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The message id, the addresses that the mail server accepted, and those that it refused with the reason.',
      schema: Sent,
    }),
  },
  effects: 'write',
  examples: [
    {
      title: 'A welcome',
      params: {
        connection: 'post',
        to: '{{ input.name }} <{{ input.mail }}>',
        subject: 'Welcome, {{ input.name }}',
        text: 'Good to have you here.',
      },
      inputs: { in: { name: 'Ada', mail: 'ada@example.com' } },
      outputs: {
        out: {
          messageId: '<1@example.com>',
          accepted: ['ada@example.com'],
          rejected: [],
          response: '250 OK',
        },
      },
    },
    {
      title: 'With a table',
      params: {
        connection: 'post',
        to: ['ada@example.com'],
        subject: 'Figures',
        html: '<p>The figures of today.</p>',
        attachments: '{{ input }}',
      },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: {
        out: {
          messageId: '<1@example.com>',
          accepted: ['ada@example.com'],
          rejected: [],
          response: '250 OK',
        },
      },
    },
    {
      title: 'Neither text nor HTML',
      params: { connection: 'post', to: 'ada@example.com', subject: 'Nothing' },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { connection, from, subject, text, html, inReplyTo, timeoutMs, ...more } = call.params;
    if (text === undefined && html === undefined)
      throw new WeftError('bad_params', 'The mail has no content; set `text` or `html`.', {
        field: 'params.text',
      });
    const given = {
      ...(from !== undefined && { from }),
      to: addressesOf(more.to),
      cc: addressesOf(more.cc),
      bcc: addressesOf(more.bcc),
      replyTo: addressesOf(more.replyTo),
      subject,
      ...(text !== undefined && { text }),
      ...(html !== undefined && { html }),
      ...(inReplyTo !== undefined && { inReplyTo, references: [inReplyTo] }),
      attachments: await attachmentsOf(call),
      key: call.idempotencyKey,
    };
    const asked = { connection, kind: 'smtp', action: 'send', given, timeoutMs };
    const sent = await call.service('connections').ask(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    return sent as z.output<typeof Sent>;
  },
});

async function attachmentsOf(call: Call<z.output<typeof params>>) {
  const { attachments, maxBytes } = call.params;
  const files = filesIn(attachments);
  const read: { name: string; type: string; content: Uint8Array }[] = [];
  let left = maxBytes;
  for (const given of files) {
    const { file, content } = await call.service('files').open(given, call.asker);
    left -= file.bytes;
    if (left < 0)
      throw new WeftError(
        'file_too_large',
        `The attachments have more bytes than \`maxBytes\` allows (${maxBytes}).`,
        {
          field: 'params.maxBytes',
        },
      );
    const bytes = new Uint8Array(file.bytes);
    let at = 0;
    for await (const piece of content) {
      call.signal.throwIfAborted();
      bytes.set(piece, at);
      at += piece.length;
    }
    read.push({ name: file.name, type: file.type, content: bytes });
  }
  return read;
}

function filesIn(value: unknown): readonly unknown[] {
  return reading(() => {
    if (value === undefined || value === null) return [];
    const files: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (files.every((file) => handleOf(file) !== undefined)) return files;
    throw new WeftError('bad_input', '`attachments` is neither a file nor a list of files.', {
      field: 'params.attachments',
    });
  });
}
