import type { ServiceLines } from './lines.ts';

/** Services whose nodes come from packages of others: companies, customers, tables, messages. */

const REDMINE =
  'The connection has the address, and sends the key in the header X-Redmine-API-Key. A search that is stored there is named by its id. ';

const IN_ADDRESS = 'The secret of the connection stands in the address. ';

export const communityDataServices: Readonly<Record<string, ServiceLines>> = {
  'n8n-nodes-brightdata.brightData': {
    credential: 'brightdataApi',
    first: ['webUnlocker', 'request'],
    firsts: { webScrapper: 'scrapeByUrl', marketplaceDataset: 'listDatasets' },
    address: 'https://api.brightdata.com',
    operations: {
      'webUnlocker.request':
        'POST /request zone=zone??"web_unlocker1" url country=country??"us" method=method??"GET" format=format??"raw"',
      'webScrapper.scrapeByUrl':
        'POST /datasets/v3/scrape ?dataset_id ?include_errors ?format=format??"json" =urls|json',
      'webScrapper.triggerCollectionByUrl':
        'POST /datasets/v3/trigger ?dataset_id ?include_errors ?endpoint ?notify =urls|json',
      'webScrapper.monitorProgressSnapshot': 'GET /datasets/v3/progress/{snapshot_id}',
      'webScrapper.downloadSnapshot': 'GET /datasets/v3/snapshot/{snapshot_id} format=format??"json"',
      'marketplaceDataset.listDatasets': 'GET /datasets/list',
      'marketplaceDataset.getDatasetMetadata': 'GET /datasets/{dataset_id}/metadata',
      'marketplaceDataset.listSnapshots': 'GET /datasets/snapshots dataset_id view_id status=status??"ready"',
      'marketplaceDataset.getSnapshotMetadata': 'GET /datasets/snapshots/{snapshot_id}',
      'marketplaceDataset.getSnapshotContent':
        'GET /datasets/snapshots/{snapshot_id}/download format=format??"json" compress batch_size part',
      'marketplaceDataset.getSnapshotParts': 'GET /datasets/snapshots/{snapshot_id}/parts',
    },
  },
  '@easysoftware/n8n-nodes-easy-redmine.easyRedmine': {
    credential: 'easyRedmineApi',
    first: ['issues', 'get-many'],
    firsts: {
      easy_leads: 'get-many',
      easy_crm_cases: 'get-many',
      easy_contacts: 'get-many',
      projects: 'get-many',
      users: 'get-many',
      time_entries: 'get-many',
    },
    difference: REDMINE,
    operations: {
      'issues.get-many':
        'GET /issues.json query_id=issueQueryId limit=@50<=100 offset -> { issues: one?.issues ?? [] }',
      'issues.get-one': 'GET /issues/{id}.json',
      'issues.add-comment':
        'PUT /issues/{id}.json issue.notes=comment issue.private_notes=privateNotes??false',
      'easy_leads.get-many':
        'GET /easy_leads.json query_id=leadQueryId limit=@50<=100 offset -> { easy_leads: one?.easy_leads ?? [] }',
      'easy_leads.get-one': 'GET /easy_leads/{id}.json',
      'easy_leads.add-comment': 'PUT /easy_leads/{id}.json easy_lead.notes=comment',
      'easy_crm_cases.get-many':
        'GET /easy_crm_cases.json query_id=opportunityQueryId limit=@50<=100 offset -> { easy_crm_cases: one?.easy_crm_cases ?? [] }',
      'easy_crm_cases.get-one': 'GET /easy_crm_cases/{id}.json',
      'easy_crm_cases.add-comment': 'PUT /easy_crm_cases/{id}.json easy_crm_case.notes=comment',
      'easy_contacts.get-many':
        'GET /easy_contacts.json query_id=accountQueryId limit=@50<=100 offset -> { easy_contacts: one?.easy_contacts ?? [] }',
      'easy_contacts.get-one': 'GET /easy_contacts/{id}.json',
      'easy_contacts.add-comment': 'PUT /easy_contacts/{id}.json easy_contact.notes=comment',
      'projects.get-many':
        'GET /projects.json query_id=projectQueryId limit=@50<=100 offset -> { projects: one?.projects ?? [] }',
      'projects.get-one': 'GET /projects/{id}.json',
      'users.get-many':
        'GET /users.json query_id=userQueryId limit=@50<=100 offset -> { users: one?.users ?? [] }',
      'users.get-one': 'GET /users/{id}.json',
      'time_entries.get-many':
        'GET /time_entries.json query_id=timeEntryQueryId limit=@50<=100 offset -> { time_entries: one?.time_entries ?? [] }',
      'time_entries.get-one': 'GET /time_entries/{id}.json',
    },
  },
  'n8n-nodes-dart.dart': {
    credential: 'dartApi',
    first: ['Agent', 'Create Agent'],
    firsts: { Task: 'Add Task Time Tracking' },
    address: 'https://app.dartai.com/api/v0/public',
    operations: {
      'Task.Create Task': 'POST /tasks item=item|json',
      'Task.Get Task': 'GET /tasks/{id}',
      'Task.Update Task': 'PUT /tasks/{id} item=item|json',
      'Task.Delete Task': 'DELETE /tasks/{id}',
      'Task.List Tasks': 'GET /tasks/list ...additionalFields limit=limit??50 offset',
      'Doc.Create Doc': 'POST /docs item=item|json',
      'Doc.Get Doc': 'GET /docs/{id}',
      'Doc.Update Doc': 'PUT /docs/{id} item=item|json',
      'Doc.Delete Doc': 'DELETE /docs/{id}',
      'Doc.List Docs': 'GET /docs/list ...additionalFields limit=limit??50 offset',
      'Comment.Add Task Comment': 'POST /comments item=item|json',
      'Comment.List Comments': 'GET /comments/list ...additionalFields limit=limit??50 offset',
      'Dartboard.Get Dartboard': 'GET /dartboards/{id}',
      'Folder.Get Folder': 'GET /folders/{id}',
      'View.Get View': 'GET /views/{id}',
      'Config.Get Config': 'GET /config',
    },
  },
  'n8n-nodes-qdrant.qdrant': {
    credential: 'qdrantRestApi',
    first: ['collection', 'listCollections'],
    difference: 'The connection has the address, and sends the key in the header api-key. ',
    operations: {
      'collection.listCollections': 'GET /collections',
      'collection.getCollection': 'GET /collections/{collectionName}',
      'collection.collectionExists': 'GET /collections/{collectionName}/exists',
      'collection.createCollection':
        'PUT /collections/{collectionName} ~shardNumber ~replicationFactor ~writeConsistencyFactor vectors=vectors|json sparse_vectors=sparseVectors|json on_disk_payload=onDiskPayload hnsw_config=hnswConfig|json optimizers_config=optimizersConfig|json quantization_config=quantizationConfig|json',
      'collection.deleteCollection': 'DELETE /collections/{collectionName}',
      'point.upsertPoints':
        'PUT /collections/{collectionName}/points ?wait=wait??true ?ordering points=points|json',
      'point.retrievePoint': 'GET /collections/{collectionName}/points/{id}',
      'point.retrievePoints':
        'POST /collections/{collectionName}/points ids=points|json with_payload=withPayload??true with_vector=withVector??false',
      'point.deletePoints':
        'POST /collections/{collectionName}/points/delete ?wait=wait??true points=points|json filter=filter|json',
      'point.countPoints': 'POST /collections/{collectionName}/points/count filter=filter|json exact=exact',
      'point.scrollPoints':
        'POST /collections/{collectionName}/points/scroll filter=filter|json limit=limit??50 offset with_payload=withPayload??true with_vector=withVector??false order_by=orderBy|json',
      'search.queryPoints':
        'POST /collections/{collectionName}/points/query query=query|json prefetch=prefetch|json using filter=filter|json params=params|json score_threshold=scoreThreshold limit=limit??50 offset with_payload=withPayload??true with_vector=withVector??false lookup_from=lookupFrom|json',
      'payload.createPayloadIndex':
        'PUT /collections/{collectionName}/index ?wait=wait??true field_name=fieldName field_schema=fieldSchema|json',
      'payload.deletePayloadIndex': 'DELETE /collections/{collectionName}/index/{fieldName}',
      'payload.setPayload':
        'POST /collections/{collectionName}/points/payload ?wait=wait??true payload=payload|json points=points|json filter=filter|json key',
    },
  },
  '@bedrijfsdatanl/n8n-nodes-prospectpro.prospectpro': {
    credential: 'prospectproApi',
    first: ['prospects', 'get_many'],
    firsts: { contacts: 'get_many', events: 'get_many', pageviews: 'get_many' },
    address: 'https://api.prospectpro.nl/v1.2',
    secret: 'api_key',
    difference: IN_ADDRESS,
    operations: {
      'prospects.get_many':
        'GET /prospects no_header=details??false|unless lists=filterOptions.audiences|joined total_contacts=filterOptions.total_contacts|some from_inserted_date=filterOptions.from_inserted_date|seconds from_changed_time=filterOptions.from_changed_time|seconds owner=filterOptions.owner label=filterOptions.label|some search=filterOptions.search NOT_tags=filterOptions.not_tags|joined tags=filterOptions.tags|joined total_visits=filterOptions.total_visits|some sort_by=sortingOptions.sort_by sort_order=sortingOptions.sort_order rows=paginationOptions.limit page=paginationOptions.page',
      'prospects.get': 'GET /prospects id no_header=details??false|unless',
      'prospects.patch':
        'PATCH /prospects ?id ?no_header=!1 ?label=updateOptions.label ?tags=updateOptions.tags|joined ?owner=updateOptions.owner :json',
      'contacts.get_many': 'GET /contacts id no_header=details??false|unless',
      'contacts.delete': 'DELETE /contacts id contact_id',
      'events.create': 'POST /events ?id ?event=event??"user-note" ?message ?no_header=!1 :json',
      'events.get_many': 'GET /events id no_header=details??false|unless',
      'events.delete': 'DELETE /events id event_id',
    },
  },
  '@bedrijfsdatanl/n8n-nodes-bedrijfsdata.bedrijfsdata': {
    credential: 'bedrijfsdataApi',
    first: ['companies', 'get_many'],
    firsts: { enrich: 'get', rag: 'get_url', llm: 'get', validation: 'get_url' },
    address: 'https://api.bedrijfsdata.nl/v1.2',
    secret: 'api_key',
    difference: IN_ADDRESS,
    operations: {
      'companies.get': 'GET /companies id country=country??"nl" no_header=details??false|unless',
      'enrich.get':
        'GET /enrich country=country??"nl" name city phone address postcode url email linkedin_link no_header=details??false|unless',
      'rag.get_search':
        'GET /rag_search q country=searchOptions.country lang=searchOptions.lang limit=searchOptions.limit timeout=searchOptions.timeout add_reader=outputOptions.add_reader add_markdown=outputOptions.add_markdown add_raw=outputOptions.add_raw add_html=outputOptions.add_html max_snippets_length=outputOptions.max_snippets_length',
      'rag.get_domain': 'GET /rag_domain domain',
      'rag.get_url': 'GET /rag_url url',
    },
  },
  '@aldinokemal2104/n8n-nodes-gowa.gowa': {
    credential: 'goWhatsappApi',
    first: ['send', 'sendText'],
    difference: 'The connection has the address of the server, and its user and password. ',
    operations: {
      'send.sendText':
        'POST /send/message phone=phoneNumber message reply_message_id=replyMessageId is_forwarded=isForwarded duration',
      'send.sendLink':
        'POST /send/link phone=phoneNumber link caption reply_message_id=replyMessageId is_forwarded=isForwarded',
      'send.sendChatPresence':
        'POST /send/chat-presence phone=phoneNumber action=chatPresenceAction??"start"',
      'send.sendContact':
        'POST /send/contact phone=phoneNumber contact_name=contactName contact_phone=contactPhone',
      'send.sendLocation': 'POST /send/location phone=phoneNumber latitude longitude',
      'send.sendPoll':
        'POST /send/poll phone=phoneNumber question options=options|list max_answer=maxAnswer??1',
      'message.readMessage': 'POST /message/{messageId}/read phone=phoneOrGroupId',
      'message.revokeMessage': 'POST /message/{messageId}/revoke phone=phoneOrGroupId',
      'message.updateMessage': 'POST /message/{messageId}/update phone=phoneOrGroupId message=newMessage',
    },
  },
  'n8n-nodes-supadata.supadata': {
    credential: 'supadataApi',
    first: ['media', 'getMetadata'],
    firsts: { youtube: 'getChannel', webScrape: 'scrapeUrl' },
    address: 'https://api.supadata.ai/v1',
    difference: 'The connection sends the key in the header x-api-key. ',
    operations: {
      'media.getMetadata': 'GET /metadata url=videoUrl',
      'youtube.getVideo': 'GET /metadata url=videoId',
      'youtube.getTranscript': 'GET /transcript url=videoId text=text??false mode=mode??"auto" lang',
      'youtube.getChannel': 'GET /youtube/channel id=channelId',
      'youtube.getChannelVideos':
        'GET /youtube/channel/videos id=channelId limit=@50<=5000 -> one?.videoIds ?? []',
      'youtube.getPlaylist': 'GET /youtube/playlist id=playlistId',
      'youtube.getPlaylistVideos':
        'GET /youtube/playlist/videos id=playlistId limit=@50<=5000 -> one?.videoIds ?? []',
      'webScrape.scrapeUrl': 'GET /web/scrape url',
    },
  },
  'n8n-nodes-templated.templated': {
    credential: 'templatedApi',
    first: ['', 'createRender'],
    address: 'https://api.templated.io',
    operations: {
      '.retrieveRender': 'GET /v1/render/{renderId}',
      '.retrieveTemplate': 'GET /v1/template/{template}',
      '.listTemplates': 'GET /v1/templates',
      '.listTemplateLayers': 'GET /v1/template/{template}/layers',
      '.listTemplateRenders': 'GET /v1/template/{template}/renders',
    },
  },
  'n8n-nodes-craftmypdf.craftMyPdf': {
    credential: 'craftMyPdfApi',
    first: ['account', 'get'],
    firsts: { pdf: 'create', image: 'create' },
    difference:
      'The connection has the address, `https://api.craftmypdf.com` or that of a region, and sends the key in the header X-API-KEY. ',
    operations: {
      'account.get': 'GET /v1/get-account-info ~region',
      'pdf.create':
        'POST /v1/create ~region :file-if=export_type template_id=templateId data=data|json version=version??"0" export_type=export_type??"json" expiration=expiration??5 output_file=output_file??"output.pdf" password_protected=password_protected??false password image_resample_res=image_resample_res??0 resize_images=resize_images??false resize_max_width resize_max_height resize_format',
      'pdf.createAsync':
        'POST /v1/create-async ~region template_id=templateId data=data|json version=version??"0" expiration=expiration??5 webhook_url image_resample_res=image_resample_res??0 resize_images=resize_images??false',
      'pdf.addWatermark':
        'POST /v1/add-watermark ~region url text font_size=font_size??40 opacity=opacity??0.5 rotation=rotation??45 hex_color=hex_color??"#c7c7c7" font_family=font_family??"Helvetica" expiration=expiration??5 output_file=output_file??"output.pdf"',
      'image.create':
        'POST /v1/create-image ~region :file-if=export_type template_id=templateId data=data|json version=version??"0" export_type=export_type??"json" expiration=expiration??5 output_file=output_file??"output.jpg" output_type=output_type??"jpeg"',
    },
  },
  'n8n-nodes-octavehq.octave': {
    credential: 'octaveApi',
    first: ['agent', ''],
    address: 'https://app.octavehq.com',
    difference:
      'The connection has the address, and sends the key in the header api_key. Context and instructions for single steps of a sequence are left out. ',
    operations: {
      'agent.enrichPerson':
        'POST /api/v2/agents/enrich-person/run agentOId companyDomain companyName email jobTitle firstName linkedInProfile runtimeContext -> { data: one?.data ?? one, _metadata: one?._metadata }',
      'agent.qualifyPerson':
        'POST /api/v2/agents/qualify-person/run agentOId companyDomain companyName email jobTitle firstName linkedInProfile runtimeContext=runtimeContext|json -> one?.data ?? one',
      'agent.qualifyCompany':
        'POST /api/v2/agents/qualify-company/run agentOId companyDomain companyName runtimeContext -> { data: one?.data ?? one, _metadata: one?._metadata }',
      'agent.runSequence':
        'POST /api/v2/agents/sequence/run agentOId companyDomain companyName email jobTitle firstName linkedInProfile lang outputFormat=outputFormat??"text" runtimeContext=runtimeContext|json runtimeInstructions=runtimeInstructions|json -> one?.data ?? one',
      'agent.runProspector':
        'POST /api/v2/agents/prospector/run agentOId companyDomain limit minimal=minimal??true searchContext.playbookOId=playbookOId searchContext.personaOIds=personaOIds searchContext.fuzzyTitles=fuzzyTitles|list searchContext.exactTitles=exactTitles|list searchContext.excludeTitles=excludeTitles|list -> one?.data ?? one',
    },
  },
  'n8n-nodes-sleeper.sleeper': {
    credential: 'none',
    open: true,
    first: ['user', 'get'],
    firsts: {
      ...{ draft: 'get', league: 'get', playoff: 'getBracket', sport: 'getState', player: 'getMany' },
      ...{ draftPick: 'getMany', draftTradedPick: 'getMany', leagueUser: 'getMany', matchup: 'getMany' },
      ...{ roster: 'getMany', tradedPick: 'getMany', transaction: 'getMany' },
    },
    address: 'https://api.sleeper.app/v1',
    operations: {
      'user.get': 'GET /user/{usernameOrUserId}',
      'league.get': 'GET /league/{leagueId}',
      'league.getManyForUser': 'GET /user/{userId}/leagues/{sport??nfl}/{season}',
      'leagueUser.getMany': 'GET /league/{leagueId}/users',
      'roster.getMany': 'GET /league/{leagueId}/rosters',
      'matchup.getMany': 'GET /league/{leagueId}/matchups/{week}',
      'transaction.getMany': 'GET /league/{leagueId}/transactions/{round}',
      'tradedPick.getMany': 'GET /league/{leagueId}/traded_picks',
      'playoff.getBracket': 'GET /league/{leagueId}/{bracketType??winners}_bracket',
      'draft.get': 'GET /draft/{draftId}',
      'draft.getManyForLeague': 'GET /league/{leagueId}/drafts',
      'draft.getManyForUser': 'GET /user/{userId}/drafts/{sport??nfl}/{season}',
      'draftPick.getMany': 'GET /draft/{draftId}/picks',
      'draftTradedPick.getMany': 'GET /draft/{draftId}/traded_picks',
      'player.getTrending':
        'GET /players/{sport??nfl}/trending/{trendType??add} lookback_hours=lookbackHours??24 limit=resultLimit??25',
      'sport.getState': 'GET /state/{sport??nfl}',
    },
  },
  '@zerobounce/n8n-nodes-zerobounce.zeroBounce': {
    credential: 'zeroBounceApi',
    first: ['validation', 'validate'],
    firsts: { account: 'getCredits', scoring: 'score' },
    address: 'https://api.zerobounce.net/v2',
    secret: 'api_key',
    difference: `${IN_ADDRESS}It does not fail if there are no credits left. `,
    operations: {
      'validation.validate':
        'GET /validate ~apiEndpoint email ip_address=addOptions.ipAddress timeout=timeout activity_data=addOptions.activityData',
      'scoring.score': 'GET /scoring ~apiEndpoint email',
      'account.getCredits': 'GET /getcredits ~apiEndpoint',
      'account.listFilters': 'GET /filters/list ~apiEndpoint -> { filters: one }',
    },
  },
  'n8n-nodes-sinergiacrm.sinergiaCrm': {
    credential: 'SinergiaCRMCredentials',
    first: ['', 'getAll'],
    difference:
      'The connection has the address of the CRM, and a token of its OAuth2. Records are as the CRM has them, with their fields in `attributes`. ',
    operations: {
      '.getOne': 'GET /Api/V8/module/{module}/{id} -> one?.data',
      '.delete': 'DELETE /Api/V8/module/{module}/{id} -> { deleted: true }',
      '.create': 'POST /Api/V8/module data.type=module data.attributes=data|json -> one?.data',
      '.update': 'PATCH /Api/V8/module data.type=module data.id=id data.attributes=data|json -> one?.data',
    },
  },
  'n8n-nodes-pdfco.PDFco Api': {
    credential: 'pdfcoApi',
    first: ['', 'AI Invoice Parser'],
    address: 'https://api.pdf.co',
    difference:
      'The connection sends the key in the header x-api-key. It waits for the answer itself, so documents that take PDF.co longer than a request may fail. ',
    operations: {
      '.AI Invoice Parser': 'POST /v1/ai-invoice-parser url customfield callback=advancedOptions.callback',
    },
  },
  'n8n-nodes-dataforseo.dataForSeo': {
    credential: 'dataForSeoApi',
    first: ['backlinks', 'get-backlinks'],
    firsts: {
      labs: 'get-domain-rank-overview',
      serp: 'get-parsed-serp',
      keywords_data: 'get-google-search-volume',
    },
    difference: 'The connection has the user and the password of the interface. ',
    operations: {},
  },
  '@postpulse/n8n-nodes-postpulse.postPulse': {
    credential: 'postPulseOAuth2Api',
    first: ['post', 'schedule'],
    firsts: { account: 'getAll', media: 'upload' },
    address: 'https://api.post-pulse.com/v1',
    operations: {
      'account.getAll': 'GET /accounts',
      'account.getConnectedChats': 'GET /accounts/{accountId}/chats platform',
      'media.getUploadStatus': 'GET /media/upload/import/{importId}',
    },
  },
  'n8n-nodes-google-search-console.googleSearchConsole': {
    credential: 'googleSearchConsoleOAuth2Api',
    first: ['site', 'getSites'],
    operations: {
      'site.getSites': 'GET https://www.googleapis.com/webmasters/v3/sites -> one?.siteEntry ?? []',
    },
  },
  'n8n-nodes-contextualai.contextualAi': {
    credential: 'contextualAiApi',
    first: ['Agent', 'Create Agent'],
    firsts: {
      Datastore: 'Create Datastore',
      Query: 'Query agent',
      Reranker: 'Rerank documents',
      LMUnit: 'Run LMUnit',
    },
    address: 'https://api.contextual.ai/v1',
    operations: {
      'LMUnit.Run LMUnit': 'POST /lmunit query response unit_test=unitTest',
      'Agent.List Agents': 'GET /agents limit=limit??50 cursor',
      'Agent.Delete Agent':
        'DELETE /agents/{agentId} -> { data: { success: true, message: "Agent deleted successfully" } }',
      'Datastore.List Datastores': 'GET /datastores limit=limit??50 cursor agent_id=agentId',
    },
  },
};
