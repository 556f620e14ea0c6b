import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import {
  type Ask,
  filesIn,
  type Given,
  type Last,
  post,
  type Request,
  type Service,
  type Several,
  some,
} from './service.ts';

/** Posts to networks: Upload-Post, Postiz and PostPulse. */

type Operations = Service['operations'];
type Kind = 'photos' | 'video' | 'text';

const UPLOAD = 'https://api.upload-post.com/api';

/** Networks that take each kind of post. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  photos: ['bluesky', 'facebook', 'instagram', 'linkedin', 'pinterest', 'threads', 'tiktok', 'x'],
  video: ['bluesky', 'facebook', 'instagram', 'linkedin', 'pinterest', 'threads', 'tiktok', 'x', 'youtube'],
  text: ['bluesky', 'facebook', 'linkedin', 'reddit', 'threads', 'x'],
};

/** Params that only some networks get: the param, its field, and the kinds of posts. */
const OF_NETWORKS: Readonly<
  Record<string, readonly (readonly [param: string, field: string, kinds?: string])[]>
> = {
  bluesky: [['blueskyTitle', 'bluesky_title']],
  instagram: [
    ['instagramTitle', 'instagram_title'],
    ['instagramCollaborators', 'collaborators', 'photos video'],
    ['instagramUserTags', 'user_tags', 'photos video'],
    ['instagramLocationId', 'location_id', 'photos video'],
    ['instagramShareToFeed', 'share_to_feed', 'video'],
    ['instagramCoverUrl', 'cover_url', 'video'],
    ['instagramAudioName', 'audio_name', 'video'],
    ['instagramThumbOffset', 'thumb_offset', 'video'],
  ],
  facebook: [
    ['facebookTitle', 'facebook_title'],
    ['facebookDescription', 'facebook_description', 'photos video'],
    ['facebookPageId', 'facebook_page_id'],
    ['facebookVideoState', 'video_state', 'video'],
    ['facebookMediaType', 'facebook_media_type', 'video'],
    ['facebookLink', 'facebook_link_url', 'text'],
  ],
  tiktok: [
    ['tiktokTitle', 'tiktok_title'],
    ['tiktokDescription', 'tiktok_description', 'photos'],
    ['tiktokPrivacyLevel', 'privacy_level', 'video'],
    ['tiktokPostMode', 'post_mode', 'video'],
    ['tiktokAutoAddMusic', 'auto_add_music', 'photos'],
    ['tiktokDisableComment', 'disable_comment', 'photos video'],
    ['tiktokDisableDuet', 'disable_duet', 'video'],
    ['tiktokDisableStitch', 'disable_stitch', 'video'],
    ['tiktokCoverTimestamp', 'cover_timestamp', 'video'],
    ['tiktokIsAigc', 'is_aigc', 'video'],
  ],
  linkedin: [
    ['linkedinTitle', 'linkedin_title'],
    ['linkedinDescription', 'linkedin_description', 'photos video'],
  ],
  x: [
    ['xTitle', 'x_title'],
    ['xLongTextAsPost', 'x_long_text_as_post', 'text video'],
    ['xQuoteTweetId', 'quote_tweet_id'],
    ['xCommunityId', 'community_id'],
    ['xPostUrlText', 'post_url', 'text'],
    ['xReplySettings', 'reply_settings'],
  ],
  youtube: [
    ['youtubeTitle', 'youtube_title'],
    ['youtubeDescription', 'youtube_description'],
    ['youtubeCategoryId', 'categoryId'],
    ['youtubePrivacyStatus', 'privacyStatus'],
    ['youtubeLicense', 'license'],
    ['youtubeMadeForKids', 'madeForKids'],
    ['youtubeSelfDeclaredMadeForKids', 'selfDeclaredMadeForKids'],
    ['youtubeEmbeddable', 'embeddable'],
  ],
  pinterest: [
    ['pinterestTitle', 'pinterest_title'],
    ['pinterestDescription', 'pinterest_description', 'photos video'],
    ['pinterestBoardId', 'pinterest_board_id'],
    ['pinterestLink', 'pinterest_link'],
  ],
  threads: [
    ['threadsTitle', 'threads_title', 'text'],
    ['threadsLongTextAsPost', 'threads_long_text_as_post', 'text'],
  ],
  reddit: [
    ['redditSubreddit', 'subreddit'],
    ['redditFlairId', 'flair_id'],
  ],
};

/** A value that was chosen from a list, or written by hand beside it. */
function chosen(g: Given, path: string): string {
  const value = g.text(path);
  const byHand = g.text(`${path}Manual`);
  return /^__manual_\w+__$/.test(value) ? byHand : value;
}

/** A file by its address, or in a field of the item. */
const media = (g: Given, name: string): string =>
  `(matches(string(${name}), "^[hH][tT][tT][pP][sS]?://") ? ${name} : ${g.item}?.[${name}])`;

const named = (of: string): string =>
  `[${of}].flat().flatMap(one => split(string(one), ",")).map(one => trim(one)).filter(one => one != "")`;

/** A time without a zone is one of UTC there. */
const zoned = (time: string): string =>
  `(matches(string(${time}), "(?:[zZ]|[+-][0-9]{2}:?[0-9]{2})$") ? ${time} : string(${time}) + "Z")`;

const upload =
  (kind: Kind, path: string): Operations[string] =>
  (g) => {
    const given = g.value('platform');
    if (!Array.isArray(given)) throw new NotHere('its networks are not written out');
    const networks = given.map(asText).filter((one) => TAKES[kind]?.includes(one) === true);
    if (g.value('waitForCompletion') !== false && g.value('uploadAsync') !== false)
      g.tell('It waits until the networks have the post; here it goes on when Upload-Post has it.');
    for (const name of ['pollInterval', 'pollTimeout', 'waitForCompletion']) g.seen(name);
    return {
      method: 'POST',
      url: `${UPLOAD}/${path}`,
      bodyType: 'multipart',
      body: some({
        user: chosen(g, 'user'),
        title: g.text('title'),
        'platform[]': networks,
        scheduled_date: g.text('scheduledDate') && `{{ ${zoned(g.expr('scheduledDate'))} }}`,
        async_upload: asText(g.value('uploadAsync') ?? true),
        ...CONTENTS[kind](g),
        ...Object.fromEntries(networks.flatMap((network) => fieldsFor(g, network, kind))),
        ...Object.assign({}, ...networks.map((network) => FURTHER[network]?.(g, kind) ?? {})),
      }),
    };
  };

/** What is posted besides the title. */
const CONTENTS: Readonly<Record<Kind, (g: Given) => Record<string, unknown>>> = {
  photos: (g) => ({
    'photos[]': `{{ ${named(g.expr('photos'))}.map(one => ${media(g, 'one')}) }}`,
    description: g.text('description'),
  }),
  video: (g) => ({
    video: `{{ [${g.expr('video')}].map(one => ${media(g, 'one')})[0] }}`,
    description: g.text('description'),
  }),
  text: () => ({}),
};

/** Fields that are made of several params, or have a value in any case. */
const FURTHER: Readonly<Record<string, (g: Given, kind: Kind) => Record<string, unknown>>> = {
  instagram(g, kind) {
    if (kind === 'text') return {};
    const usual = kind === 'photos' ? 'IMAGE' : 'REELS';
    return { media_type: g.text('instagramMediaType') === 'STORIES' ? 'STORIES' : usual };
  },
  linkedin(g, kind) {
    const page = chosen(g, 'targetLinkedinPageId');
    return {
      ...(!['', 'me'].includes(page) && {
        target_linkedin_page_id: `{{ last(split(string(${g.expr('targetLinkedinPageId')}), ":")) }}`,
      }),
      ...(kind !== 'text' && { visibility: g.text('linkedinVisibility', 'PUBLIC') }),
    };
  },
  youtube(g) {
    const thumbnail = g.text('youtubeThumbnail');
    const isAddress = /^(?:https?:|\{\{)/.test(thumbnail);
    return {
      'tags[]': g.text('youtubeTags') && `{{ ${named(g.expr('youtubeTags'))} }}`,
      ...(isAddress ? { thumbnail_url: thumbnail } : {}),
      ...(thumbnail !== '' && !isAddress && { thumbnail: `{{ ${filesIn(g, thumbnail)[0] ?? 'null'} }}` }),
    };
  },
};

function fieldsFor(g: Given, network: string, kind: string): [string, unknown][] {
  return (OF_NETWORKS[network] ?? [])
    .filter(([, , kinds]) => kinds === undefined || kinds.split(' ').includes(kind))
    .flatMap(([param, field]): [string, unknown][] => {
      const value = param.endsWith('Id') ? chosen(g, param) : g.value(param);
      return value === undefined || value === '' || value === 'everyone'
        ? []
        : [[field, typeof value === 'boolean' ? String(value) : value]];
    });
}

export const uploadPost: Operations = {
  'uploads.uploadPhotos': upload('photos', 'upload_photos'),
  'uploads.uploadVideo': upload('video', 'upload'),
  'uploads.uploadText': upload('text', 'upload_text'),
  'users.generateJwt': (g) =>
    post(
      `${UPLOAD}/uploadposts/users/generate-jwt`,
      some({
        username: chosen(g, 'user'),
        redirect_url: g.text('redirectUrl'),
        logo_image: g.text('logoImage'),
        redirect_button_text: g.text('redirectButtonText'),
        platforms: g.value('jwtPlatforms'),
      }),
    ),
};

/** The list in a form of lists: `{ post: [ … ] }`. */
function listIn(given: unknown, name: string): Record<string, unknown>[] {
  const list = isRecord(given) ? given[name] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

const contentOf = (given: Record<string, unknown>): Record<string, unknown> => ({
  content: given['content'] ?? '',
  ...(given['id'] !== undefined && given['id'] !== '' && { id: given['id'] }),
  image: listIn(given['image'], 'imageItem').map(({ id, path }) => ({ id, path })),
});

const settingsOf = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    listIn(given['settings'], 'setting').map(({ key, value, stringValue }) => [
      asText(key ?? ''),
      value ?? stringValue ?? '',
    ]),
  );

/** What is written in the fields of the form, as the interface has it. */
function postizPosts(g: Given): unknown[] {
  const posts = g.list('posts.post');
  return posts.map((one) => ({
    integration: { id: g.made(one['integrationId'] ?? '') },
    value: listIn(g.made(one['value'] ?? {}), 'contentItem').map(contentOf),
    ...(one['group'] !== undefined && one['group'] !== '' && { group: g.made(one['group']) }),
    settings: settingsOf({ settings: g.made(one['settings'] ?? {}) }),
  }));
}

const createPost = (g: Given): Request =>
  post('/public/v1/posts', {
    type: g.text('type', 'now'),
    shortLink: g.value('shortLink') ?? false,
    date: g.text('date'),
    tags: g.list('tags.tag').map(({ value, label }) => ({ value: g.made(value), label: g.made(label) })),
    posts: postizPosts(g),
  });

export const postiz: Operations = {
  '.createPost': createPost,
  '.uploadFile': (g) => ({
    method: 'POST',
    url: '/public/v1/upload',
    bodyType: 'multipart',
    body: { file: `{{ ${g.expr('binaryProperty', 'null')} }}` },
  }),
};

const PULSE = 'https://api.post-pulse.com/v1';

const pulsePost = (given: Record<string, unknown>): Record<string, unknown> => {
  const paths = listIn(given['attachmentPaths'], 'path').map(({ value }) => value);
  return some({
    content: given['content'],
    chatId: given['chatId'],
    thumbnailPath: given['thumbnailPath'],
    attachmentPaths: paths.length > 0 ? paths : undefined,
  });
};

function publication(g: Given, given: Record<string, unknown>): Record<string, unknown> {
  const settings = asText(given['platformSettings'] ?? '').trim();
  return {
    socialMediaAccountId: g.made(given['socialMediaAccountId'] ?? 0),
    posts: listIn(g.made(given['posts'] ?? {}), 'post').map(pulsePost),
    ...(!['', '{}'].includes(settings) && {
      platformSettings: `{{ [${g.said(settings)}].map(one => typeOf(one) == "string" ? json(one) : one)[0] }}`,
    }),
  };
}

export const postPulse: Operations = {
  'post.schedule': (g) => {
    const publications = g.list('publications.publication');
    const isLater = g.text('scheduleMode', 'scheduled') === 'scheduled';
    return post(`${PULSE}/posts`, {
      isDraft: g.value('isDraft') ?? false,
      publications: publications.map((one) => publication(g, one)),
      ...(isLater && { scheduledTime: `{{ date(${g.expr('scheduledTime')}) }}` }),
    });
  },
};

export const postPulseSteps: Several = {
  'media.upload': (g, ask) => {
    if (g.text('uploadSource', 'file') === 'url') return imported(g, ask);
    const file = filesIn(g, g.text('binaryPropertyName', 'data'))[0] ?? 'null';
    const place = ask(
      'address',
      post(`${PULSE}/media/upload/urls`, {
        filename: `{{ ${file}.name }}`,
        contentType: `{{ ${file}.type }}`,
        sizeBytes: `{{ ${file}.bytes }}`,
      }),
    );
    ask('upload', {
      method: 'PUT',
      url: `{{ ${place}.url }}`,
      headers: { 'Content-Type': `{{ ${file}.type }}` },
      bodyType: 'bytes',
      body: `{{ ${file} }}`,
      open: true,
    });
    return post(
      `${PULSE}/media/upload/confirm`,
      { key: `{{ ${place}.key }}` },
      { items: `{ path: ${place}.key }` },
    );
  },
};

function imported(g: Given, ask: Ask): Last {
  const request = post(
    `${PULSE}/media/upload/import`,
    some({ url: g.text('url'), filenameHint: g.text('filenameHint') }),
  );
  const [every, most] = [g.number('pollingInterval', 2), g.number('maxWaitTime', 120)];
  if (g.value('waitForCompletion') !== true)
    return { ...request, items: '{ id: one?.id, state: one?.state }' };
  const started = ask('import', request);
  return {
    url: `${PULSE}/media/upload/import/{{ urlEncode(string(${started}.id)) }}`,
    until: {
      holds: '["READY", "FAILED_TEMPORARY", "FAILED_PERMANENT"].includes(item?.body?.state)',
      everySeconds: every,
      seconds: most,
    },
    items: '{ path: one?.s3Key }',
  };
}
