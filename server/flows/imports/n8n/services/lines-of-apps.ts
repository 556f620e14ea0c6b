import type { ServiceLines } from './lines.ts';
import { platformServices } from './lines-of-platforms.ts';
import { peopleServices } from './lines-of-people.ts';
import { toolServices } from './lines-of-tools.ts';

/** Services that are apps by themselves: messages to phones, devices, links, pictures. `apps.ts` has what no line says of them. */
export const appServices: Readonly<Record<string, ServiceLines>> = {
  ...platformServices,
  ...peopleServices,
  ...toolServices,
  pushover: {
    credential: 'pushoverApi',
    first: ['message', 'push'],
    address: 'https://api.pushover.net/1',
    secret: 'token',
    difference: 'The secret of the connection stands as `token` in the query. ',
    operations: {
      'message.push':
        'POST /messages.json :form user=userKey message priority=priority??-2 retry=retry??30 expire=expire??30 title=additionalFields.title device=additionalFields.device sound=additionalFields.sound url=additionalFields.url url_title=additionalFields.url_title html=additionalFields.html|one timestamp=additionalFields.timestamp|seconds ttl=additionalFields.ttl',
    },
  },
  signl4: {
    credential: 'signl4Api',
    first: ['alert', 'send'],
    address: 'https://connect.signl4.com',
    difference: 'The secret of the connection stands in the path, and the alert is sent as JSON. ',
    operations: {
      'alert.resolve': 'POST /webhook/{secret} X-S4-ExternalID=externalId X-S4-Status="resolved"',
    },
  },
  gotify: {
    credential: 'gotifyApi',
    first: ['message', 'create'],
    difference: 'The connection sends the token in the header `X-Gotify-Key`. ',
    operations: {
      'message.delete': 'DELETE /message/{messageId} -> { success: true }',
      'message.getAll': 'GET /message limit=@20<=200 -> one?.messages ?? []',
    },
  },
  rocketchat: {
    credential: 'rocketchatApi',
    first: ['chat', 'postMessage'],
    firsts: { subscriptions: 'get', dm: 'messages' },
    address: '/api/v1',
    operations: {
      'subscriptions.get':
        'GET /subscriptions.get -> [...(one?.update ?? []).map(update => ({ update })), ...(one?.remove ?? []).map(remove => ({ remove }))]',
      'subscriptions.read': 'POST /subscriptions.read rid=roomId',
      'dm.messages': 'GET /dm.messages roomId count=@50<=100 -> one?.messages ?? []',
    },
  },
  matrix: {
    credential: 'matrixApi',
    first: ['message', 'create'],
    firsts: { account: 'me', event: 'get', room: 'create', roomMember: 'getAll' },
    address: '/_matrix/client/v3',
    operations: {
      'account.me': 'GET /account/whoami',
      'event.get': 'GET /rooms/{roomId}/event/{eventId}',
      'message.getAll':
        'GET /rooms/{roomId}/messages dir="b" limit=@100<=1000 filter=otherOptions.filter -> one?.chunk ?? []',
      'room.create': 'POST /createRoom name=roomName preset=preset??"public_chat" room_alias_name=roomAlias',
      'room.join': 'POST /join/{roomIdOrAlias} :json',
      'room.leave': 'POST /rooms/{roomId}/leave :json',
      'room.invite': 'POST /rooms/{roomId}/invite user_id=userId',
      'room.kick': 'POST /rooms/{roomId}/kick user_id=userId reason',
      'roomMember.getAll':
        'GET /rooms/{roomId}/members membership=filters.membership not_membership=filters.notMembership -> one?.chunk ?? []',
    },
  },
  zulip: {
    credential: 'zulipApi',
    first: ['message', 'sendPrivate'],
    firsts: { stream: 'create', user: 'create' },
    address: '/api/v1',
    operations: {
      'message.sendPrivate': 'POST /messages :form type="private" to=to|text content',
      'message.sendStream': 'POST /messages :form type="stream" to=stream topic content',
      'message.get': 'GET /messages/{messageId}',
      'message.delete': 'DELETE /messages/{messageId}',
      'message.update':
        'PATCH /messages/{messageId} :form content=updateFields.content topic=updateFields.topic propagate_mode=updateFields.propagateMode|snake',
      'stream.getAll':
        'GET /streams include_public=additionalFields.includePublic include_subscribed=additionalFields.includeSubscribed include_all_active=additionalFields.includeAllActive include_default=additionalFields.includeDefault include_owner_subscribed=additionalFields.includeOwnersubscribed -> one?.streams ?? []',
      'stream.getSubscribed':
        'GET /users/me/subscriptions include_subscribers=additionalFields.includeSubscribers -> one?.subscriptions ?? []',
      'stream.delete': 'DELETE /streams/{streamId}',
      'user.create': 'POST /users :form email full_name=fullName password ~shortName',
      'user.get':
        'GET /users/{userId} client_gravatar=additionalFields.clientGravatar include_custom_profile_fields=additionalFields.includeCustomProfileFields',
      'user.getAll':
        'GET /users client_gravatar=additionalFields.clientGravatar include_custom_profile_fields=additionalFields.includeCustomProfileFields -> one?.members ?? []',
      'user.deactivate': 'DELETE /users/{userId}',
    },
  },
  vonage: {
    credential: 'vonageApi',
    first: ['sms', 'send'],
    address: 'https://rest.nexmo.com',
    difference: 'The connection sends the key and its secret as a user and a password. ',
    operations: {
      'sms.send':
        'POST /sms/json :form from to type="text" text=message client-ref=additionalFields.client-ref account-ref=additionalFields.account-ref callback=additionalFields.callback message-class=additionalFields.message-class protocol-id=additionalFields.protocol-id status-report-req=additionalFields.status-report-req ttl=additionalFields.ttl|minutes -> one?.messages ?? []',
    },
  },
  sms77: {
    credential: 'sms77Api',
    first: ['sms', 'send'],
    firsts: { voice: 'send' },
    address: 'https://gateway.seven.io/api',
    operations: {
      'sms.send':
        'POST /sms from to text=message delay=options.delay flash=options.flash foreign_id=options.foreign_id label=options.label performance_tracking=options.performance_tracking ttl=options.ttl',
      'voice.send': 'POST /voice to text=message from=options.from',
    },
  },
  plivo: {
    credential: 'plivoApi',
    first: ['sms', 'send'],
    firsts: { mms: 'send', call: 'make' },
    difference:
      'The address of the connection ends with `/v1/Account/AUTH_ID`, and its user is the same id. ',
    operations: {
      'sms.send': 'POST /Message/ src=from dst=to text=message',
      'mms.send': 'POST /Message/ src=from dst=to text=message type="mms" media_urls=media_urls|list',
      'call.make': 'POST /Call/ from to answer_url answer_method=answer_method??"POST"',
    },
  },
  mailjet: {
    credential: 'mailjetEmailApi',
    first: ['email', 'send'],
    firsts: { sms: 'send' },
    address: 'https://api.mailjet.com',
    operations: {
      'sms.send': 'POST /v4/sms-send From=from To=to Text=text',
    },
  },
  homeAssistant: {
    credential: 'homeAssistantApi',
    first: ['config', 'get'],
    firsts: {
      event: 'getAll',
      log: 'getErroLogs',
      service: 'getAll',
      state: 'get',
      template: 'create',
      cameraProxy: 'getScreenshot',
    },
    address: '/api',
    operations: {
      'config.get': 'GET /config',
      'config.check': 'POST /config/core/check_config :json',
      'event.getAll': 'GET /events :first=50',
      'service.getAll': 'GET /services :first=50',
      'state.get': 'GET /states/{entityId}',
      'state.getAll': 'GET /states :first=50',
      'log.getErroLogs': 'GET /error_log -> { errorLog: one }',
      'template.create': 'POST /template template -> { renderedTemplate: one }',
      'cameraProxy.getScreenshot': 'GET /camera_proxy/{cameraEntityId} :file=binaryPropertyName',
    },
  },
  strava: {
    credential: 'stravaOAuth2Api',
    first: ['activity', 'create'],
    address: 'https://www.strava.com/api/v3',
    operations: {
      'activity.get': 'GET /activities/{activityId}',
      'activity.getAll': 'GET /athlete/activities per_page=@50<=200',
      'activity.getComments': 'GET /activities/{activityId}/comments :first=50',
      'activity.getKudos': 'GET /activities/{activityId}/kudos :first=50',
      'activity.getLaps': 'GET /activities/{activityId}/laps :first=50',
      'activity.getZones': 'GET /activities/{activityId}/zones :first=50',
      'activity.getStreams': 'GET /activities/{activityId}/streams keys=keys|joined key_by_type=!true',
      'activity.update':
        'PUT /activities/{activityId} name=updateFields.name type=updateFields.type sport_type=updateFields.sport_type description=updateFields.description gear_id=updateFields.gear_id commute=updateFields.commute trainer=updateFields.trainer hide_from_home=updateFields.hide_from_home',
    },
  },
  nasa: {
    credential: 'nasaApi',
    first: ['astronomyPictureOfTheDay', 'get'],
    firsts: {
      asteroidNeoFeed: 'get',
      asteroidNeoLookup: 'get',
      asteroidNeoBrowse: 'getAll',
      donkiCoronalMassEjection: 'get',
      donkiInterplanetaryShock: 'get',
      donkiSolarFlare: 'get',
      donkiSolarEnergeticParticle: 'get',
      donkiMagnetopauseCrossing: 'get',
      donkiRadiationBeltEnhancement: 'get',
      donkiHighSpeedStream: 'get',
      donkiWsaEnlilSimulation: 'get',
      donkiNotifications: 'get',
    },
    address: 'https://api.nasa.gov',
    secret: 'api_key',
    difference: 'The secret of the connection stands as `api_key` in the query. ',
    operations: {
      'asteroidNeoLookup.get': 'GET /neo/rest/v1/neo/{asteroidId} ~additionalFields.includeCloseApproachData',
      'asteroidNeoBrowse.getAll': 'GET /neo/rest/v1/neo/browse size=@20<=20 -> one?.near_earth_objects ?? []',
      'donkiCoronalMassEjection.get':
        'GET /DONKI/CME startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiInterplanetaryShock.get':
        'GET /DONKI/IPS startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day location=additionalFields.location??"ALL" catalog=additionalFields.catalog??"ALL"',
      'donkiSolarFlare.get':
        'GET /DONKI/FLR startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiSolarEnergeticParticle.get':
        'GET /DONKI/SEP startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiMagnetopauseCrossing.get':
        'GET /DONKI/MPC startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiRadiationBeltEnhancement.get':
        'GET /DONKI/RBE startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiHighSpeedStream.get':
        'GET /DONKI/HSS startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiWsaEnlilSimulation.get':
        'GET /DONKI/WSAEnlilSimulations startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day',
      'donkiNotifications.get':
        'GET /DONKI/notifications startDate=additionalFields.startDate|day endDate=additionalFields.endDate|day type=additionalFields.type??"all"',
    },
  },
  bitly: {
    credential: 'bitlyApi',
    first: ['link', 'create'],
    address: 'https://api-ssl.bitly.com/v4',
    operations: {
      'link.create':
        'POST /bitlinks long_url=longUrl title=additionalFields.title domain=additionalFields.domain group_guid=additionalFields.group tags=additionalFields.tags',
      'link.get': 'GET /bitlinks/{id|path}',
      'link.update':
        'PATCH /bitlinks/{id|path} long_url=updateFields.longUrl title=updateFields.title archived=updateFields.archived group_guid=updateFields.group tags=updateFields.tags',
    },
  },
  raindrop: {
    credential: 'raindropOAuth2Api',
    first: ['collection', 'get'],
    firsts: { bookmark: 'get', tag: 'get', user: 'get' },
    address: 'https://api.raindrop.io/rest/v1',
    operations: {
      'bookmark.create':
        'POST /raindrop link collection.$id=collectionId title=additionalFields.title important=additionalFields.important order=additionalFields.order tags=additionalFields.tags|list -> one?.item',
      'bookmark.get': 'GET /raindrop/{bookmarkId} -> one?.item',
      'bookmark.getAll': 'GET /raindrops/{collectionId} perpage=@5<=50 -> one?.items ?? []',
      'bookmark.update':
        'PUT /raindrop/{bookmarkId} title=updateFields.title important=updateFields.important order=updateFields.order tags=updateFields.tags|list collection.$id=updateFields.collectionId -> one?.item',
      'bookmark.delete': 'DELETE /raindrop/{bookmarkId}',
      'collection.create':
        'POST /collection title view=additionalFields.view public=additionalFields.public sort=additionalFields.sort parent.$id=additionalFields.parentId|number cover=additionalFields.cover|list -> one?.item',
      'collection.get': 'GET /collection/{collectionId} -> one?.item',
      'collection.update':
        'PUT /collection/{collectionId} title=updateFields.title view=updateFields.view public=updateFields.public sort=updateFields.sort parent.$id=updateFields.parentId|number -> one?.item',
      'collection.delete': 'DELETE /collection/{collectionId}',
      'tag.delete': 'DELETE /tags/{additionalFields.collectionId??0} :body tags=tags|list',
      'tag.getAll': 'GET /tags/{filters.collectionId??0} :first=5 -> one?.items ?? []',
    },
  },
  bannerbear: {
    credential: 'bannerbearApi',
    first: ['image', 'create'],
    firsts: { template: 'get' },
    address: 'https://api.bannerbear.com/v2',
    operations: {
      'image.get': 'GET /images/{imageId}',
      'template.get': 'GET /templates/{templateId}',
      'template.getAll': 'GET /templates',
    },
  },
  apiTemplateIo: {
    credential: 'apiTemplateIoApi',
    first: ['image', 'create'],
    firsts: { pdf: 'create', account: 'get' },
    address: 'https://rest.apitemplate.io/v2',
    difference:
      'It uses version 2 of the interface, since version 1 is no longer supported; the connection sends the key in the header `X-API-KEY`. ',
    operations: {},
  },
  oneSimpleApi: {
    credential: 'oneSimpleApi',
    first: ['website', 'pdf'],
    firsts: { socialProfile: 'instagramProfile', information: 'exchangeRate', utility: 'validateEmail' },
    address: 'https://onesimpleapi.com/api',
    secret: 'token',
    difference: 'The secret of the connection stands as `token` in the query. ',
    operations: {
      'website.seo': 'GET /page_info output="json" url=link headers=options.headers|yes',
      'socialProfile.instagramProfile': 'GET /instagram_profile output="json" profile=profileName',
      'socialProfile.spotifyArtistProfile': 'GET /spotify_profile output="json" profile=artistName',
      'information.exchangeRate':
        'GET /exchange_rate output="json" from_value=value from_currency=fromCurrency to_currency=toCurrency',
      'information.imageMetadata': 'GET /image_info output="json" url=link raw=!true',
      'utility.validateEmail': 'GET /email output="json" email=emailAddress',
      'utility.expandURL': 'GET /unshorten output="json" url=link',
    },
  },
  lingvaNex: {
    credential: 'lingvaNexApi',
    first: ['', 'translate'],
    address: 'https://api-b2b.backenster.com/b1/api/v3',
    operations: {
      '.translate':
        'POST /translate data=text to=translateTo from=options.from platform=options.platform??"api" translateMode=options.translateMode',
    },
  },
  coinGecko: {
    credential: 'coinGeckoApi',
    first: ['coin', 'getAll'],
    open: true,
    address: 'https://api.coingecko.com/api/v3',
    operations: {
      'coin.getAll': 'GET /coins/list :first=100',
      'coin.market':
        'GET /coins/markets vs_currency=baseCurrency ids=options.ids category=options.category order=options.order sparkline=options.sparkline price_change_percentage=options.price_change_percentage|joined per_page=@100<=250',
      'coin.ticker':
        'GET /coins/{coinId}/tickers exchange_ids=options.exchange_ids|joined include_exchange_logo=options.include_exchange_logo order=options.order :first=100 -> one?.tickers ?? []',
      'coin.history': 'GET /coins/{coinId}/history date=date|dmy localization=options.localization',
      'coin.marketChart':
        'GET /coins/{baseCurrency}/market_chart vs_currency=quoteCurrency days ~searchBy -> (one?.prices ?? []).map((price, at) => ({ time: formatDate(date(price[0]), "yyyy-MM-dd\'T\'HH:mm:ss.SSS\'Z\'", "UTC"), price: price[1], marketCaps: one.market_caps[at][1], totalVolume: one.total_volumes[at][1] }))',
      'coin.candlestick':
        'GET /coins/{baseCurrency}/ohlc vs_currency=quoteCurrency days -> (one ?? []).map(candle => ({ time: formatDate(date(candle[0]), "yyyy-MM-dd\'T\'HH:mm:ss.SSS\'Z\'", "UTC"), open: candle[1], high: candle[2], low: candle[3], close: candle[4] }))',
    },
  },
};
