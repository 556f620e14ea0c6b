import { expect, test } from 'vitest';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { startChatBed } from './testing/chat-bed.ts';

test('a kept answer has its whole run behind it, however many there are in a second, unless the flow asks for less', async () => {
  const bed = await startChatBed();
  const recordedOf = async (more: object): Promise<unknown[]> => {
    const body = { model: 'm', messages: 'Ada', chat_mode: 'chat_flow', chat_param: 'greet', ...more };
    const answers = await Promise.all(Array.from({ length: 4 }, () => bed.chat(body)));
    await Promise.all(answers.map((answer) => answer.text()));
    const runs = answers.map((answer) => bed.ctx.runs.get(answer.headers.get('x-weft-run') ?? ''));
    return (await Promise.all(runs)).map((run) => run?.recorded);
  };
  const all = [true, true, true, true];
  expect(await recordedOf({ conv_uid: 'c-1' })).toEqual(all);
  const { text, revision } = await bed.ctx.flows.get('greet');
  const less = JSON.stringify({ ...JSON.parse(text), settings: { record: 'summary' } });
  await bed.ctx.flows.save('greet', less, { revision, actor: actorNamed('test') });
  expect(await recordedOf({ conv_uid: 'c-1' })).toEqual(all.map(() => false));
});
