import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { importedShort } from './testing/service-bed.ts';

/** Meta asks for its word before it calls, and then puts what has happened into lists. */
test('the trigger of WhatsApp gives the word back, and the message that comes', async () => {
  const { flows } = await importedShort({
    nodes: {
      Came: ['whatsAppTrigger@1', { updates: ['messages'] }],
      Text: [
        'set@3.4',
        {
          assignments: {
            assignments: [{ name: 'text', type: 'string', value: '={{ $json.messages[0].text.body }}' }],
          },
        },
      ],
    },
    wires: ['Came > Text'],
  });
  const folder = await tempFolder();
  await writeFile(join(folder, 'job.json'), JSON.stringify(flows[0]));
  const bed = await startBed({ flows: [folder] });
  const address = `${bed.url}/api/v1/awel/trigger/whatsapp-job`;
  const asked = await fetch(`${address}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=x`);
  expect([asked.status, await asked.text()]).toEqual([200, '1158201444']);
  const value = { messages: [{ text: { body: 'Hello' } }] };
  const called = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entry: [{ changes: [{ value }] }] }),
  });
  expect(called.status).toBeLessThan(300);
});
