import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import {
  type Ask,
  encoded,
  filesIn,
  type Given,
  type Request,
  type Service,
  some,
  type Steps,
  use,
} from './service.ts';

/** Services of AWS, each behind a connection of its own, which signs and has the host of a region. */

type Operation = Service['operations'][string];

/** A call of the JSON interface. */
const called = (target: string, body: Record<string, unknown>, items?: string): Request => ({
  method: 'POST',
  url: '/',
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
  bodyType: 'json',
  body,
  isJson: true,
  ...(items !== undefined && { items }),
});

/** The file of the item as base64, before the call. */
function bytesOf(g: Given, ask: Ask): string {
  const file = filesIn(g, g.text('binaryPropertyName', 'data'))[0] ?? 'null';
  ask('picked', use('core.map', { value: `{{ ${file} }}` }));
  return `{{ ${ask('bytes', use('file.to-text', { as: 'base64' }))} }}`;
}

const IMAGES: Readonly<Record<string, string>> = {
  detectFaces: 'DetectFaces',
  detectLabels: 'DetectLabels',
  detectModerationLabels: 'DetectModerationLabels',
  detectText: 'DetectText',
  recognizeCelebrity: 'RecognizeCelebrities',
};

function imageCall(g: Given, image: Record<string, unknown>): Request {
  const type = g.text('type', 'detectFaces');
  const action = IMAGES[type];
  if (action === undefined) throw new NotHere(`it does “${type}”`);
  return called(
    `RekognitionService.${action}`,
    some({
      Image: image,
      Attributes: g.value('additionalFields.attributes'),
      MaxLabels: g.value('additionalFields.maxLabels'),
      MinConfidence: g.value('additionalFields.minConfidence'),
    }),
  );
}

const storedImage: Operation = (g) =>
  imageCall(g, {
    S3Object: some({
      Bucket: g.value('bucket'),
      Name: g.value('name'),
      Version: g.value('additionalFields.version'),
    }),
  });

const sentImage: Steps = (g, ask) => {
  g.seen('binaryData');
  return { ...imageCall(g, { Bytes: bytesOf(g, ask) }), item: 'one' };
};

const expense: Steps = (g, ask) => ({
  ...called('Textract.AnalyzeExpense', { Document: { Bytes: bytesOf(g, ask) } }),
  item:
    g.value('simple') === false
      ? 'one'
      : 'fromEntries((one?.ExpenseDocuments ?? []).flatMap(found => found?.SummaryFields ?? []).map(found => [string(found?.Type?.Text ?? found?.LabelDetection?.Text), found?.ValueDetection?.Text]))',
});

const listOf = (g: Given, path: string): unknown => {
  const value = g.value(path);
  return value === undefined || Array.isArray(value) ? value : `{{ [${g.expr(path)}].flat() }}`;
};

/** A mail of version 2 of the interface. */
function mail(g: Given, content: Record<string, unknown>): Request {
  const at = 'additionalFields';
  return {
    method: 'POST',
    url: '/v2/email/outbound-emails',
    bodyType: 'json',
    body: some({
      FromEmailAddress: g.value('fromEmail'),
      FromEmailAddressIdentityArn: g.value(`${at}.sourceArn`),
      Destination: some({
        ToAddresses: listOf(g, 'toAddresses'),
        CcAddresses: listOf(g, `${at}.ccAddresses`),
        BccAddresses: listOf(g, `${at}.bccAddresses`),
      }),
      ReplyToAddresses: listOf(g, `${at}.replyToAddresses`),
      FeedbackForwardingEmailAddress: g.value(`${at}.returnPath`),
      FeedbackForwardingEmailAddressIdentityArn: g.value(`${at}.returnPathArn`),
      ConfigurationSetName: g.value(`${at}.configurationSetName`),
      Content: content,
    }),
  };
}

function templated(g: Given): Request {
  const pairs = g.list('templateDataUi.templateDataValues');
  const data = pairs.map(
    (one) => `${JSON.stringify(asText(one['key'] ?? ''))}: string(${exprOf(g, one['value'])})`,
  );
  return mail(g, {
    Template: { TemplateName: g.value('templateName'), TemplateData: `{{ toJson({ ${data.join(', ')} }) }}` },
  });
}

/** A value that is at hand as an expression, before the request. */
function exprOf(g: Given, value: unknown): string {
  const text = g.written(value);
  const [, whole] = /^\{\{ (.*) \}\}$/s.exec(text) ?? [];
  if (whole !== undefined && !whole.includes('}}')) return whole;
  if (text.includes('{{')) throw new NotHere('a value of its template is put together of several pieces');
  return JSON.stringify(text);
}

function message(g: Given): Request {
  const isWhole = g.value('sendInputData') !== false;
  const own = g.expr('message', '""');
  const attributes = g
    .list('options.messageAttributes.string')
    .map((one) => [asText(one['name'] ?? ''), { DataType: 'String', StringValue: g.written(one['value']) }]);
  g.seen('queueType');
  return {
    ...called(
      'AmazonSQS.SendMessage',
      some({
        QueueUrl: g.value('queue'),
        MessageBody: isWhole
          ? `{{ toJson(${g.item}) }}`
          : `{{ typeOf(${own}) == "string" ? ${own} : toJson(${own}) }}`,
        DelaySeconds: g.value('options.delaySeconds'),
        MessageGroupId: g.value('messageGroupId'),
        MessageDeduplicationId: g.value('options.messageDeduplicationId'),
        MessageAttributes: attributes.length > 0 ? Object.fromEntries(attributes) : undefined,
      }),
    ),
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
  };
}

const job = (g: Given): Record<string, unknown> => ({
  TranscriptionJobName: g.value('transcriptionJobName'),
});

function startJob(g: Given): Request {
  const at = 'options';
  const alternatives = g.value(`${at}.maxAlternatives`);
  const speakers = g.value(`${at}.maxSpeakerLabels`);
  const language = g.flag('detectLanguage')
    ? { IdentifyLanguage: true }
    : { LanguageCode: g.value('languageCode') ?? 'en-US' };
  return called(
    'Transcribe.StartTranscriptionJob',
    {
      ...job(g),
      ...language,
      Media: { MediaFileUri: g.value('mediaFileUri') },
      Settings: some({
        ChannelIdentification: g.value(`${at}.channelIdentification`),
        ShowAlternatives: alternatives === undefined ? undefined : true,
        MaxAlternatives: alternatives,
        ShowSpeakerLabels: speakers === undefined ? undefined : true,
        MaxSpeakerLabels: speakers,
        VocabularyName: g.value(`${at}.vocabularyName`),
        VocabularyFilterName: g.value(`${at}.vocabularyFilterName`),
        VocabularyFilterMethod: g.value(`${at}.vocabularyFilterMethod`),
      }),
    },
    'one?.TranscriptionJob',
  );
}

function jobOf(g: Given): Request {
  if (g.value('returnTranscript') !== false)
    throw new NotHere('it reads the transcript from another host than that of the service', [
      'http.request to Transcript.TranscriptFileUri, behind the node without that setting',
    ]);
  g.seen('simple');
  return called('Transcribe.GetTranscriptionJob', job(g), 'one?.TranscriptionJob');
}

/** The form of IAM, whose answer is JSON if that is asked for. */
const iam =
  (action: string, params: Readonly<Record<string, string>>, items: string): Operation =>
  (g) => ({
    method: 'POST',
    url: '/',
    headers: { accept: 'application/json' },
    bodyType: 'form',
    body: {
      Action: action,
      Version: '2010-05-08',
      ...some(Object.fromEntries(Object.entries(params).map(([name, path]) => [name, g.value(path)]))),
    },
    isJson: true,
    items,
  });
const limited =
  (of: Operation): Operation =>
  (g) => {
    const made = of(g) as Request;
    if (g.flag('returnAll')) g.tell('It read everything; here it reads at most 1000. http.pages reads more.');
    const most = g.flag('returnAll') ? 1000 : Math.min(g.number('limit', 100), 1000);
    return { ...made, body: { ...(made.body as object), MaxItems: most } };
  };

const signed = (host: string): string =>
  `The connection has \`auth: aws\`, and the host of a region: \`https://${host}.eu-central-1.amazonaws.com\`. `;

export const servicesOfAws: readonly Service[] = [
  {
    kind: 'awsLambda',
    credential: 'aws',
    host: 'awsLambda',
    first: ['', 'invoke'],
    difference: signed('lambda'),
    operations: {
      '.invoke': (g) => ({
        method: 'POST',
        url: `/2015-03-31/functions/${encoded(g.expr('function'))}/invocations`,
        query: { Qualifier: g.text('qualifier', '$LATEST') },
        headers: {
          'X-Amz-Invocation-Type': g.text('invocationType', 'RequestResponse'),
          'content-type': 'application/json',
        },
        bodyType: 'bytes',
        body: `{{ [${g.expr('payload', '""')}].map(one => typeOf(one) == "string" ? one : toJson(one))[0] }}`,
        items: '{ result: one }',
      }),
    },
  },
  {
    kind: 'awsSes',
    credential: 'aws',
    host: 'awsSes',
    first: ['email', 'send'],
    difference: `${signed('email')}It calls version 2 of the interface. `,
    operations: {
      'email.send': (g) =>
        mail(g, {
          Simple: {
            Subject: { Data: g.text('subject') },
            Body: {
              [g.flag('isBodyHtml') ? 'Html' : 'Text']: { Data: g.text('body'), Charset: 'UTF-8' },
            },
          },
        }),
      'email.sendTemplate': templated,
    },
  },
  {
    kind: 'awsSqs',
    credential: 'aws',
    host: 'awsSqs',
    first: ['', 'sendMessage'],
    difference: signed('sqs'),
    operations: { '.sendMessage': message },
  },
  {
    kind: 'awsRekognition',
    credential: 'aws',
    host: 'awsRekognition',
    first: ['image', 'analyze'],
    difference: signed('rekognition'),
    operations: { 'image.analyze': storedImage },
    several: { 'image.analyze': { when: (params) => params.flag('binaryData'), steps: sentImage } },
  },
  {
    kind: 'awsTextract',
    credential: 'aws',
    host: 'awsTextract',
    first: ['', 'analyzeExpense'],
    difference: signed('textract'),
    operations: {},
    several: { '.analyzeExpense': expense },
  },
  {
    kind: 'awsTranscribe',
    credential: 'aws',
    host: 'awsTranscribe',
    first: ['transcriptionJob', 'create'],
    difference: signed('transcribe'),
    operations: {
      'transcriptionJob.create': startJob,
      'transcriptionJob.get': jobOf,
      'transcriptionJob.delete': (g) =>
        called('Transcribe.DeleteTranscriptionJob', job(g), '{ success: true }'),
      'transcriptionJob.getAll': (g) =>
        called(
          'Transcribe.ListTranscriptionJobs',
          some({
            MaxResults: g.flag('returnAll') ? 100 : Math.min(g.number('limit', 20), 100),
            Status: g.value('filters.status'),
            JobNameContains: g.value('filters.jobNameContains'),
          }),
          'one?.TranscriptionJobSummaries ?? []',
        ),
    },
  },
  {
    kind: 'awsIam',
    credential: 'aws',
    host: 'awsIam',
    first: ['user', 'getAll'],
    firsts: { group: 'getAll' },
    difference: 'The connection has `auth: aws`, and the host `https://iam.amazonaws.com`. ',
    operations: {
      'user.getAll': limited(
        iam(
          'ListUsers',
          { PathPrefix: 'additionalFields.pathPrefix' },
          'one?.ListUsersResponse?.ListUsersResult?.Users ?? []',
        ),
      ),
      'user.get': iam('GetUser', { UserName: 'user' }, 'one?.GetUserResponse?.GetUserResult?.User'),
      'user.create': iam(
        'CreateUser',
        {
          UserName: 'userName',
          Path: 'additionalFields.path',
          PermissionsBoundary: 'additionalFields.permissionsBoundary',
        },
        'one?.CreateUserResponse?.CreateUserResult?.User',
      ),
      'user.update': iam(
        'UpdateUser',
        { UserName: 'user', NewUserName: 'userName', NewPath: 'additionalFields.path' },
        '{ success: true }',
      ),
      'user.addToGroup': iam('AddUserToGroup', { UserName: 'user', GroupName: 'group' }, '{ success: true }'),
      'user.removeFromGroup': iam(
        'RemoveUserFromGroup',
        { UserName: 'user', GroupName: 'group' },
        '{ success: true }',
      ),
      'group.getAll': limited(
        iam('ListGroups', {}, 'one?.ListGroupsResponse?.ListGroupsResult?.Groups ?? []'),
      ),
      'group.get': iam('GetGroup', { GroupName: 'group' }, 'one?.GetGroupResponse?.GetGroupResult?.Group'),
      'group.create': iam(
        'CreateGroup',
        { GroupName: 'groupName', Path: 'additionalFields.path' },
        'one?.CreateGroupResponse?.CreateGroupResult?.Group',
      ),
      'group.update': iam(
        'UpdateGroup',
        { GroupName: 'group', NewGroupName: 'groupName', NewPath: 'additionalFields.path' },
        '{ success: true }',
      ),
    },
  },
];
