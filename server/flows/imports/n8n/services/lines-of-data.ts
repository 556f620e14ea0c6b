import type { ServiceLines } from './lines.ts';

/** Services for media, searches, models, tables and files. `compared.ts` says which of them were compared with the vendor's description. */
export const dataServices: Readonly<Record<string, ServiceLines>> = {
  youTube: {
    credential: 'youTubeOAuth2Api',
    first: ['channel', 'getAll'],
    firsts: { video: 'getAll', playlist: 'getAll', playlistItem: 'add', videoCategory: 'getAll' },
    address: 'https://www.googleapis.com/youtube/v3',
    difference: 'Each answer has all parts of it. ',
    operations: {
      'channel.get':
        'GET /channels part="snippet,contentDetails,statistics,status" ~part id=channelId -> one?.items ?? []',
      'channel.getAll':
        'GET /channels part="snippet,contentDetails,statistics,status" ~part mine="true" maxResults=@25<=50 -> one?.items ?? []',
      'video.get':
        'GET /videos part="snippet,contentDetails,statistics,status" ~part id=videoId -> one?.items ?? []',
      'video.getAll':
        'GET /search part="snippet" type="video" q=filters.q channelId=filters.channelId publishedAfter=filters.publishedAfter publishedBefore=filters.publishedBefore regionCode=filters.regionCode order=options.order safeSearch=options.safeSearch maxResults=@25<=50 -> one?.items ?? []',
      'video.update':
        'PUT /videos ?part="snippet,status" ~regionCode id=videoId snippet.title=title snippet.categoryId=categoryId snippet.description=updateFields.description snippet.tags=updateFields.tags|list status.privacyStatus=updateFields.privacyStatus status.publishAt=updateFields.publishAt',
      'video.delete': 'DELETE /videos id=videoId',
      'video.rate': 'POST /videos/rate ?id=videoId ?rating :json',
      'playlist.create':
        'POST /playlists ?part="snippet,status" snippet.title=title snippet.description=options.description status.privacyStatus=options.privacyStatus',
      'playlist.get':
        'GET /playlists part="snippet,contentDetails,status" ~part id=playlistId -> one?.items ?? []',
      'playlist.getAll':
        'GET /playlists part="snippet,contentDetails,status" ~part channelId=filters.channelId id=filters.id maxResults=@25<=50 -> one?.items ?? []',
      'playlist.delete': 'DELETE /playlists id=playlistId',
      'playlistItem.add':
        'POST /playlistItems ?part="snippet" snippet.playlistId=playlistId snippet.resourceId.kind="youtube#video" snippet.resourceId.videoId=videoId snippet.position=options.position',
      'playlistItem.getAll':
        'GET /playlistItems part="snippet,contentDetails,status" ~part playlistId maxResults=@25<=50 -> one?.items ?? []',
      'playlistItem.delete': 'DELETE /playlistItems id=playlistItemId',
    },
  },
  spotify: {
    credential: 'spotifyOAuth2Api',
    first: ['player', 'addSongToQueue'],
    firsts: {
      album: 'get',
      artist: 'get',
      library: 'getLikedTracks',
      playlist: 'add',
      track: 'get',
    },
    address: 'https://api.spotify.com/v1',
    operations: {
      'player.addSongToQueue': 'POST /me/player/queue ?uri=id :json',
      'player.currentlyPlaying': 'GET /me/player/currently-playing',
      'player.recentlyPlayed': 'GET /me/player/recently-played limit=@50<=50 -> one?.items ?? []',
      'player.pause': 'PUT /me/player/pause :json',
      'player.resume': 'PUT /me/player/play :json',
      'player.startMusic': 'PUT /me/player/play context_uri=id',
      'player.nextSong': 'POST /me/player/next :json',
      'player.previousSong': 'POST /me/player/previous :json',
      'playlist.add': 'POST /playlists/{id|id}/items ?uris=trackID ?position=additionalFields.position :json',
      'playlist.create':
        'POST /me/playlists name description=additionalFields.description public=additionalFields.public',
      'playlist.get': 'GET /playlists/{id|id}',
      'playlist.getTracks': 'GET /playlists/{id|id}/items limit=@50<=100 -> one?.items ?? []',
      'playlist.getUserPlaylists': 'GET /me/playlists limit=@50<=50 -> one?.items ?? []',
      'track.get': 'GET /tracks/{id|id}',
      'track.search': 'GET /search type="track" q=query limit=@50<=50 -> one?.tracks?.items ?? []',
      'album.get': 'GET /albums/{id|id}',
      'album.getTracks': 'GET /albums/{id|id}/tracks limit=@50<=50 -> one?.items ?? []',
      'artist.get': 'GET /artists/{id|id}',
      'artist.getAlbums': 'GET /artists/{id|id}/albums limit=@50<=50 -> one?.items ?? []',
      'library.getLikedTracks': 'GET /me/tracks limit=@50<=50 -> one?.items ?? []',
    },
  },
  reddit: {
    credential: 'redditOAuth2Api',
    first: ['post', 'create'],
    firsts: { postComment: 'create', profile: 'get', subreddit: 'get', user: 'get' },
    address: 'https://oauth.reddit.com',
    operations: {
      'post.create':
        'POST /api/submit :form api_type="json" kind=kind??"self" sr=subreddit title text url resubmit -> one?.json?.data',
      'post.get':
        'GET /r/{subreddit}/comments/{postId} -> (one?.[0]?.data?.children ?? []).map(found => found.data)',
      'post.getAll':
        'GET /r/{subreddit}/{filters.category??hot} limit=@100<=100 -> (one?.data?.children ?? []).map(found => found.data)',
      'post.search':
        'GET /r/{subreddit}/search ~location restrict_sr="true" q=keyword sort=additionalFields.sort limit=@100<=100 -> (one?.data?.children ?? []).map(found => found.data)',
      'post.delete': 'POST /api/del :form id=postId',
      'postComment.getAll':
        'GET /r/{subreddit}/comments/{postId} limit=@100<=100 -> (one?.[1]?.data?.children ?? []).map(found => found.data)',
      'subreddit.getAll':
        'GET /subreddits/search q=filters.keyword limit=@100<=100 -> (one?.data?.children ?? []).map(found => found.data)',
      'user.get': 'GET /user/{username}/about -> one?.data',
    },
  },
  hackerNews: {
    credential: 'none',
    open: true,
    first: ['article', 'get'],
    firsts: { all: 'getAll', user: 'get' },
    address: 'https://hn.algolia.com/api/v1',
    operations: {
      'all.getAll':
        'GET /search query=additionalFields.keyword tags=additionalFields.tags|joined hitsPerPage=@100<=1000 -> one?.hits ?? []',
      'article.get': 'GET /items/{articleId}',
      'user.get': 'GET /users/{username}',
    },
  },
  hunter: {
    credential: 'hunterApi',
    secret: 'api_key',
    difference: 'The secret of the connection stands as `api_key` in the query. ',
    first: ['', 'domainSearch'],
    address: 'https://api.hunter.io/v2',
    operations: {
      '.domainSearch':
        'GET /domain-search ~onlyEmails domain type=filters.type seniority=filters.seniority|joined department=filters.department|joined limit=@100<=100 -> one?.data?.emails ?? []',
      '.emailFinder': 'GET /email-finder domain first_name=firstname last_name=lastname -> one?.data',
      '.emailVerifier': 'GET /email-verifier email -> one?.data',
    },
  },
  clearbit: {
    credential: 'clearbitApi',
    first: ['company', 'enrich'],
    firsts: { person: 'enrich' },
    operations: {
      'company.enrich': 'GET https://company.clearbit.com/v2/companies/find domain',
      'company.autocomplete': 'GET https://autocomplete.clearbit.com/v1/companies/suggest query=name',
      'person.enrich': 'GET https://person.clearbit.com/v2/people/find email',
    },
  },
  phantombuster: {
    credential: 'phantombusterApi',
    first: ['agent', 'launch'],
    address: 'https://api.phantombuster.com/api/v2',
    operations: {
      'agent.launch':
        'POST /agents/launch ~jsonParameters id=agentId argument=additionalFields.argumentsJson|json manualLaunch=additionalFields.manualLaunch',
      'agent.get': 'GET /agents/fetch id=agentId',
      'agent.getAll': 'GET /agents/fetch-all :first=25',
      'agent.getOutput': 'GET /agents/fetch-output id=agentId',
    },
  },
  deepL: {
    credential: 'deepLApi',
    first: ['language', 'translate'],
    difference: 'The connection has the address, `https://api.deepl.com` or `https://api-free.deepl.com`. ',
    operations: {
      'language.translate':
        'POST /v2/translate text=text|list target_lang=translateTo source_lang=additionalFields.sourceLang formality=additionalFields.formality -> one?.translations ?? []',
    },
  },
  jinaAi: {
    credential: 'jinaAiApi',
    first: ['reader', 'read'],
    firsts: { research: 'deepResearch' },
    headers: { Accept: 'application/json' },
    operations: {
      'reader.read': 'GET https://r.jina.ai/{url} -> one?.data',
      'reader.search': 'GET https://s.jina.ai/{searchQuery} -> one?.data ?? []',
    },
  },
  mistralAi: {
    credential: 'mistralCloudApi',
    first: ['document', 'extractText'],
    operations: {
      'document.extractText':
        'POST https://api.mistral.ai/v1/ocr ~inputType model=model??"mistral-ocr-latest" document.type="document_url" document.document_url=url',
    },
  },
  nocoDb: {
    credential: 'nocoDbApiToken',
    first: ['row', 'get'],
    difference: 'Tables are named as version 3 of the node does, by their ids. ',
    operations: {
      'row.get': 'GET /api/v2/tables/{table}/records/{id} ~projectId ~workspaceId',
      'row.getAll':
        'GET /api/v2/tables/{table}/records ~projectId ~workspaceId where=options.where viewId=options.viewId limit=@50<=1000 -> one?.list ?? []',
      'row.delete': 'DELETE /api/v2/tables/{table}/records ~projectId ~workspaceId :body Id=id',
    },
  },
  baserow: {
    credential: 'baserowApi',
    first: ['row', 'getAll'],
    address: '/api/database/rows/table',
    operations: {
      'row.get': 'GET /{tableId}/{rowId}/ ~databaseId user_field_names="true"',
      'row.getAll':
        'GET /{tableId}/ ~databaseId user_field_names="true" size=@50<=200 search=additionalOptions.search -> one?.results ?? []',
      'row.delete': 'DELETE /{tableId}/{rowId}/ ~databaseId',
    },
  },
  n8n: {
    credential: 'n8nApi',
    first: ['workflow', 'getAll'],
    firsts: { execution: 'getAll', credential: 'create', audit: 'generate' },
    difference: 'It asks an n8n that still runs; the address of the connection ends with `/api/v1`. ',
    operations: {
      'workflow.getAll':
        'GET /workflows active=filters.activeWorkflows tags=filters.tags name=filters.name projectId=filters.projectId excludePinnedData=filters.excludePinnedData limit=@*100<=250 -> one?.data ?? []',
      'workflow.get': 'GET /workflows/{workflowId}',
      'workflow.delete': 'DELETE /workflows/{workflowId}',
      'workflow.activate': 'POST /workflows/{workflowId}/activate :json',
      'workflow.deactivate': 'POST /workflows/{workflowId}/deactivate :json',
      'execution.get': 'GET /executions/{executionId} includeData=options.activeWorkflows',
      'execution.getAll':
        'GET /executions workflowId=filters.workflowId status=filters.status includeData=options.activeWorkflows limit=@100<=250 -> one?.data ?? []',
      'execution.delete': 'DELETE /executions/{executionId}',
    },
  },
  gitlab: {
    credential: 'gitlabApi',
    first: ['issue', 'create'],
    firsts: { file: 'create', release: 'create', repository: 'getIssues', user: 'getRepositories' },
    difference: 'A project is named by its id, or by its path as the connection’s server knows it. ',
    operations: {
      'issue.create':
        'POST /api/v4/projects/{owner}%2F{repository}/issues title description=body due_date labels assignee_ids',
      'issue.get': 'GET /api/v4/projects/{owner}%2F{repository}/issues/{issueNumber}',
      'issue.createComment': 'POST /api/v4/projects/{owner}%2F{repository}/issues/{issueNumber}/notes body',
      'file.create':
        'POST /api/v4/projects/{owner}%2F{repository}/repository/files/{filePath} branch commit_message=commitMessage content=fileContent author_name=additionalParameters.author.name author_email=additionalParameters.author.email',
      'file.edit':
        'PUT /api/v4/projects/{owner}%2F{repository}/repository/files/{filePath} branch commit_message=commitMessage content=fileContent author_name=additionalParameters.author.name author_email=additionalParameters.author.email',
      'file.list':
        'GET /api/v4/projects/{owner}%2F{repository}/repository/tree path=filePath ref=additionalParameters.ref per_page=@20<=100',
      'repository.get': 'GET /api/v4/projects/{owner}%2F{repository}',
      'repository.getIssues': 'GET /api/v4/projects/{owner}%2F{repository}/issues per_page=@20<=100',
      'release.create':
        'POST /api/v4/projects/{owner}%2F{repository}/releases tag_name=releaseTag name description=additionalFields.description',
    },
  },
  googleSlides: {
    credential: 'googleSlidesOAuth2Api',
    first: ['presentation', 'create'],
    firsts: { page: 'get' },
    address: 'https://slides.googleapis.com/v1',
    operations: {
      'presentation.create': 'POST /presentations title',
      'presentation.get': 'GET /presentations/{presentationId}',
      'presentation.getSlides':
        'GET /presentations/{presentationId} fields="slides" :first=100 -> one?.slides ?? []',
      'page.get': 'GET /presentations/{presentationId}/pages/{pageObjectId}',
    },
  },
  googleBigQuery: {
    credential: 'googleBigQueryOAuth2Api',
    first: ['database', 'executeQuery'],
    address: 'https://bigquery.googleapis.com/bigquery/v2',
    operations: {
      'database.executeQuery':
        'POST /projects/{projectId}/queries query=sqlQuery useLegacySql=!false timeoutMs=options.timeoutMs maxResults=options.maxResults -> (one?.rows ?? []).map(row => fromEntries(one.schema.fields.map((field, at) => [field.name, row.f[at].v])))',
    },
  },
  googleCloudStorage: {
    credential: 'googleCloudStorageOAuth2Api',
    first: ['bucket', 'getAll'],
    firsts: { object: 'getAll' },
    address: 'https://storage.googleapis.com/storage/v1',
    operations: {
      'bucket.getAll': 'GET /b project=projectId maxResults=@100<=1000 -> one?.items ?? []',
      'object.getAll':
        'GET /b/{bucketName}/o prefix=listFilters.prefix maxResults=@50<=1000 -> one?.items ?? []',
      'object.delete': 'DELETE /b/{bucketName}/o/{objectName}',
    },
  },
  microsoftOneDrive: {
    credential: 'microsoftOneDriveOAuth2Api',
    first: ['file', 'upload'],
    firsts: { folder: 'getChildren' },
    address: 'https://graph.microsoft.com/v1.0/me/drive',
    operations: {
      'file.get': 'GET /items/{fileId}',
      'file.download': 'GET /items/{fileId}/content ~binaryPropertyName :file',
      'file.delete': 'DELETE /items/{fileId}',
      'file.rename': 'PATCH /items/{itemId} name=newName',
      'folder.create': 'POST /items/{options.parentFolderId??root}/children name folder=!{}',
      'folder.getChildren': 'GET /items/{folderId}/children -> one?.value ?? []',
      'folder.delete': 'DELETE /items/{folderId}',
    },
  },
  dropbox: {
    credential: 'dropboxApi',
    first: ['file', 'upload'],
    firsts: { folder: 'create', search: 'query' },
    address: 'https://api.dropboxapi.com/2',
    operations: {
      'file.delete': 'POST /files/delete_v2 path -> one?.metadata',
      'file.move': 'POST /files/move_v2 from_path=path to_path=toPath -> one?.metadata',
      'file.copy': 'POST /files/copy_v2 from_path=path to_path=toPath -> one?.metadata',
      'folder.create': 'POST /files/create_folder_v2 path -> one?.metadata',
      'folder.delete': 'POST /files/delete_v2 path -> one?.metadata',
      'folder.move': 'POST /files/move_v2 from_path=path to_path=toPath -> one?.metadata',
      'folder.copy': 'POST /files/copy_v2 from_path=path to_path=toPath -> one?.metadata',
      'folder.list':
        'POST /files/list_folder path include_deleted=filters.include_deleted include_mounted_folders=filters.include_mounted_folders limit=@100<=2000 -> one?.entries ?? []',
    },
  },
  nextCloud: {
    credential: 'nextCloudApi',
    first: ['file', 'upload'],
    firsts: { folder: 'create' },
    difference:
      'The address of the connection ends with `/remote.php/dav/files/USER`, or with `/remote.php/webdav` as it did there. ',
    operations: {
      'file.download': 'GET /{path|path} ~binaryPropertyName :file',
      'file.delete': 'DELETE /{path|path}',
    },
  },
  '@apify/n8n-nodes-apify.apify': {
    credential: 'apifyApi',
    first: ['Actors', 'Run actor'],
    firsts: { Datasets: 'Get items', 'Actor tasks': 'Run task' },
    address: 'https://api.apify.com/v2',
    operations: {
      'Actors.Run actor':
        'POST /actors/{actorId|tilde}/runs ~actorSource ~authentication ~waitForFinish ?memory ?timeout ?build ?waitForFinish="60" =customBody|json -> one?.data',
      'Actors.Run actor and get dataset':
        'POST /actors/{actorId|tilde}/run-sync-get-dataset-items ~actorSource ~authentication ?memory ?timeout ?build =customBody|json',
      'Datasets.Get items': 'GET /datasets/{datasetId}/items limit offset',
      'Actor tasks.Run task':
        'POST /actor-tasks/{actorTaskId|tilde}/runs ~waitForFinish ~useCustomBody ?waitForFinish="60" =customBody|json -> one?.data',
    },
  },
  '@mendable/n8n-nodes-firecrawl.firecrawl': {
    credential: 'firecrawlApi',
    first: ['', 'map'],
    address: 'https://api.firecrawl.dev/v1',
    operations: {
      '.scrape':
        'POST /scrape url onlyMainContent=scrapeOptions.options.onlyMainContent waitFor=scrapeOptions.options.waitFor timeout=scrapeOptions.options.timeout',
      '.map': 'POST /map url ignoreSitemap sitemapOnly',
    },
  },
  '@tavily/n8n-nodes-tavily.tavily': {
    credential: 'tavilyApi',
    first: ['search', 'query'],
    firsts: { extract: 'urls' },
    address: 'https://api.tavily.com',
    operations: {
      'search.query':
        'POST /search query search_depth=options.search_depth max_results=options.max_results topic=options.topic include_answer=options.include_answer time_range=options.time_range include_raw_content=options.include_raw_content chunks_per_source=options.chunks_per_source include_domains=options.include_domains|list exclude_domains=options.exclude_domains|list include_images=options.include_images days=options.days',
      'extract.urls': 'POST /extract urls=urls|list',
    },
  },
  'n8n-nodes-serpapi.serpApi': {
    credential: 'serpApi',
    first: ['search', 'google'],
    address: 'https://serpapi.com',
    secret: 'api_key',
    difference: 'The secret of the connection stands as `api_key` in the query. ',
    operations: {
      'search.google': 'GET /search.json engine="google" q location ...additionalFields',
      'search.google_news': 'GET /search.json engine="google_news" q ...additionalFields',
      'search.google_maps':
        'GET /search.json engine="google_maps" q type=type??"search" ll ...additionalFields',
      'search.google_trends': 'GET /search.json engine="google_trends" q ...additionalFields',
      'search.google_flights':
        'GET /search.json engine="google_flights" departure_id arrival_id outbound_date return_date type=type??"1" ...additionalFields',
      'search.google_maps_reviews':
        'GET /search.json engine="google_maps_reviews" data_id place_id ...additionalFields',
    },
  },
  'n8n-nodes-scrapegraphai.scrapegraphAi': {
    credential: 'scrapegraphAIApi',
    first: ['smartScraper', 'scrape'],
    firsts: { smartscraper: 'scrape', markdownify: 'convert' },
    address: 'https://api.scrapegraphai.com/v1',
    operations: {
      'smartScraper.scrape':
        'POST /smartscraper user_prompt=userPrompt website_url=websiteUrl render_heavy_js=renderHeavyJs',
      'smartscraper.scrape':
        'POST /smartscraper user_prompt=userPrompt website_url=websiteUrl render_heavy_js=renderHeavyJs',
      'markdownify.convert': 'POST /markdownify website_url=websiteUrl render_heavy_js=renderHeavyJs',
    },
  },
  '@decodo/n8n-nodes-decodo.decodo': {
    credential: 'decodoApi',
    first: ['', 'universal'],
    by: 'target',
    address: 'https://scraper-api.decodo.com/v2',
    operations: {
      '.universal':
        'POST /scrape target="universal" url headless=headless??true|html geo locale markdown -> { data: one }',
      '.google_search':
        'POST /scrape target="google_search" query headless=headless??true|html parse=parse??true geo locale limit=results_limit??10 markdown -> { data: one }',
      '.amazon': 'POST /scrape target="amazon" url parse=parse??true geo locale -> { data: one }',
    },
  },
  '@brightdata/n8n-nodes-brightdata.brightData': {
    credential: 'brightdataApi',
    first: ['webUnlocker', 'request'],
    firsts: { webScrapper: 'scrapeByUrl', webScraper: 'scrapeByUrl' },
    address: 'https://api.brightdata.com',
    operations: {
      'webUnlocker.request':
        'POST /request zone=zone??"n8n_unlocker" url country=country??"us" format=format??"raw" method=method??"GET"',
      'webScrapper.scrapeByUrl': 'POST /datasets/v3/scrape ?dataset_id ?include_errors input=urls|json',
      'webScrapper.triggerCollectionByUrl':
        'POST /datasets/v3/trigger ?dataset_id ?include_errors input=urls|json',
      'webScrapper.monitorProgressSnapshot': 'GET /datasets/v3/progress/{snapshot_id}',
      'webScrapper.downloadSnapshot': 'GET /datasets/v3/snapshot/{snapshot_id} format="json"',
    },
  },
  '@elevenlabs/n8n-nodes-elevenlabs.elevenLabs': {
    credential: 'elevenLabsApi',
    first: ['voice', 'getAll'],
    firsts: { speech: 'textToSpeech' },
    address: 'https://api.elevenlabs.io/v1',
    operations: {
      'speech.textToSpeech':
        'POST /text-to-speech/{voice} ?output_format=additionalOptions.outputFormat text model_id=additionalOptions.model language_code=additionalOptions.languageCode :file',
      'voice.getAll': 'GET /voices -> one?.voices ?? []',
    },
  },
  'n8n-nodes-evolution-api.evolutionApi': {
    credential: 'evolutionApi',
    first: ['instances-api', 'create-instance'],
    firsts: { 'messages-api': 'send-text' },
    operations: {
      'messages-api.send-text':
        'POST /message/sendText/{instanceName} number=remoteJid text=messageText delay=options_message.delay linkPreview=options_message.linkPreview',
      'messages-api.send-image':
        'POST /message/sendMedia/{instanceName} mediatype="image" number=remoteJid media caption',
    },
  },
  '@blotato/n8n-nodes-blotato.blotato': {
    credential: 'blotatoApi',
    first: ['post', 'create'],
    firsts: { media: 'upload', video: 'create' },
    address: 'https://backend.blotato.com/v2',
    operations: {
      'media.upload': 'POST /media url=mediaUrl',
      'post.get': 'GET /posts/{postSubmissionId}',
      'video.get': 'GET /videos/creations/{videoId}',
    },
  },
};
