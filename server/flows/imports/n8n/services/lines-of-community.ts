import type { ServiceLines } from './lines.ts';
import { communityDataServices } from './lines-of-community-data.ts';

/** Services whose nodes come from packages of others: documents, pages of the web, mails. */

const klickTipp: ServiceLines = {
  credential: 'klickTippApi',
  first: ['tag', 'index'],
  firsts: { subscriber: 'index', 'contact-tagging': 'tag', field: 'index', 'opt-in': 'index' },
  address: 'https://api.klicktipp.com',
  difference:
    'KlickTipp asks for a session: a login by POST to /account/login gives its name and id, which the connection sends in the header Cookie as `name=id`, and which ends at some time. ',
  operations: {
    'contact-tagging.tag': 'POST /subscriber/tag :form email tagids=tagId -> { success: true }',
    'contact-tagging.untag': 'POST /subscriber/untag :form email tagid=tagId -> { success: true }',
    'subscriber.index':
      'GET /subscriber status=subscriptionStatus|joined bounceStatus=bounceStatus|joined -> (one ?? []).map(id => ({ id: id }))',
    'subscriber.search': 'POST /subscriber/search :form email -> { id: one?.[0] }',
    'subscriber.tagged':
      'POST /subscriber/tagged :form tagid=tagId ?status=subscriptionStatus|joined ?bounceStatus=bounceStatus|joined -> entries(one ?? { }).map(pair => ({ id: pair[0], timestamp: pair[1] }))',
    'subscriber.unsubscribe': 'POST /subscriber/unsubscribe :form email -> { success: true }',
    'tag.index': 'GET /tag -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'tag.get': 'GET /tag/{tagId}',
    'tag.create': 'POST /tag :form name text=description -> { id: one?.[0] }',
    'tag.update': 'PUT /tag/{tagId} :form name text=description -> { success: true }',
    'tag.delete': 'DELETE /tag/{tagId} -> { success: true }',
    'field.index': 'GET /field -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'opt-in.index': 'GET /list -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'opt-in.get': 'GET /list/{listId}',
    'opt-in.getRedirect': 'POST /list/redirect :form listid=listId email -> { redirectUrl: one?.[0] }',
  },
};

const customJs = (operation: string, resource = ''): ServiceLines => ({
  credential: 'customJsApi',
  first: [resource, operation],
  ...(resource !== '' && { firsts: { url: operation } }),
  difference: 'The secret of the connection stands in the address. ',
  operations: {},
});

export const communityServices: Readonly<Record<string, ServiceLines>> = {
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': {
    credential: 'htmlcsstopdfApi',
    first: ['pdfCreation', 'htmlToPdf'],
    firsts: { pdfManipulation: 'mergePdfs', pdfSecurity: 'lockPdf', pdfParsing: 'parsePdf' },
    address: 'https://pdfmunk.com/api/v1',
    difference: 'The connection sends the key in the header CLIENT-API-KEY. ',
    operations: {
      'pdfCreation.htmlToPdf':
        'POST /generatePdf ~timeout :file-if=output_format html_content css_content viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 output_format=output_format??"url" wait_until=wait_until??"load" wait_till=wait_till??0 output_filename=output_filename??"document"',
      'pdfCreation.urlToPdf':
        'POST /generatePdf ~timeout :file-if=output_format url full_page=full_page??true wait_till=wait_till??10000 viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 output_format=output_format??"url" output_filename=output_filename??"document"',
    },
  },
  'n8n-nodes-htmlcsstoimage.htmlCssToImage': {
    credential: 'htmlcsstoimgApi',
    first: ['', 'htmlToImage'],
    address: 'https://htmlcsstoimg.com/api/v1',
    difference: 'The connection sends the key in the header CLIENT-API-KEY. ',
    operations: {
      '.htmlToImage':
        'POST /generateImage html_content css_content viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 response_format=response_format_html??"url"',
      '.urlToImage':
        'POST /generateImage url full_page=full_page??true wait_till=wait_till??10000 viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 response_format=response_format_url??"image"',
    },
  },
  'n8n-nodes-verifiemail.verifiEmail': {
    credential: 'verifiEmailApi',
    first: ['', 'validateEmail'],
    address: 'https://api.verifi.email',
    secret: 'token',
    difference: 'The secret of the connection stands in the address. ',
    operations: {
      '.checkDomainHealth': 'GET /v1/domain/check domain selector=selector??"google"',
    },
  },
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
  'n8n-nodes-upload-post.uploadPost': {
    credential: 'uploadPostApi',
    first: ['uploads', 'uploadPhotos'],
    firsts: { monitoring: 'getStatus', users: 'listUsers' },
    address: 'https://api.upload-post.com/api',
    difference: 'The connection sends the key in the header Authorization, behind “Apikey ”. ',
    operations: {
      'monitoring.getStatus': 'GET /uploadposts/status request_id=requestId',
      'monitoring.getHistory': 'GET /uploadposts/history page=historyPage??1 limit=historyLimit??20',
      'monitoring.getAnalytics':
        'GET /analytics/{analyticsProfileUsername} platforms=analyticsPlatforms|joined',
      'monitoring.listScheduled': 'GET /uploadposts/schedule',
      'monitoring.cancelScheduled': 'DELETE /uploadposts/schedule/{scheduleJobId}',
      'users.listUsers': 'GET /uploadposts/users',
      'users.createUser': 'POST /uploadposts/users username=newUser',
      'users.deleteUser': 'DELETE /uploadposts/users :body username=deleteUserId',
    },
  },
  '@gotohuman/n8n-nodes-gotohuman.gotoHuman': {
    credential: 'gotoHumanApi',
    first: ['reviewRequest', 'sendAndWait'],
    address: 'https://api.gotohuman.com',
    difference:
      'The connection sends the key in the header x-api-key. It waits for the answer without a time limit; in a loop it is a placeholder. ',
    operations: { 'reviewRequest.delete': 'DELETE /deleteReview :body reviewId' },
  },
  'n8n-nodes-postiz.postiz': {
    credential: 'postizApi',
    first: ['', 'createPost'],
    difference:
      'The connection has the address, `https://api.postiz.com` or `https://HOST/api`, and sends the key in the header Authorization as it is. ',
    operations: {
      '.getPosts': 'GET /public/v1/posts startDate endDate customer',
      '.getIntegrations': 'GET /public/v1/integrations',
      '.deletePost': 'DELETE /public/v1/posts/{postId}',
    },
  },
  'n8n-nodes-aimlapi.aimlApi': {
    credential: 'aimlApi',
    first: ['', 'chatCompletion'],
    address: 'https://api.aimlapi.com/v1',
    operations: {},
  },
  'n8n-nodes-browseract.browserAct': {
    credential: 'browserActApi',
    first: ['workflow', 'runWorkflow'],
    difference: 'A task that takes longer than its time fails the run, and goes on at BrowserAct. ',
    operations: {},
  },
  'n8n-nodes-browseract-workflows.browserAct': {
    credential: 'browserActApi',
    first: ['', ''],
    difference: 'A task that takes longer than its time fails the run. ',
    operations: {},
  },
  'n8n-nodes-1shot.oneShot': {
    credential: 'oneShotOAuth2Api',
    first: ['contractMethods', 'execute'],
    firsts: { wallets: 'list', transactions: 'list', chains: 'list', prompts: 'search' },
    address: 'https://api.1shotapi.com/v0',
    operations: {
      'contractMethods.execute':
        'POST /methods/{contractMethodId}/execute params=params??"{}"|json walletId=additionalFields.walletId memo=additionalFields.memo value=additionalFields.value gasLimit=additionalFields.gasLimit',
      'contractMethods.executeAsDelegator':
        'POST /methods/{contractMethodId}/executeAsDelegator params=params??"{}"|json delegatorAddress=delegatorWalletAddress walletId=additionalFields.walletId memo=additionalFields.memo value=additionalFields.value gasLimit=additionalFields.gasLimit',
      'contractMethods.read': 'POST /methods/{contractMethodId}/read params=params??"{}"|json',
      'contractMethods.simulate': 'POST /methods/{contractMethodId}/test params=params??"{}"|json gasLimit',
      'contractMethods.estimate': 'POST /methods/{contractMethodId}/estimate params=params??"{}"|json',
      'contractMethods.encode':
        'POST /methods/{contractMethodId}/encode params=params??"{}"|json value=additionalFields.value',
      'contractMethods.get': 'GET /methods/{contractMethodId}',
      'transactions.get': 'GET /transactions/{transactionId}',
      'wallets.get': 'GET /wallets/{walletId} includeBalances="true"',
      'wallets.update': 'PUT /wallets/{walletId} name description',
      'wallets.delete': 'DELETE /wallets/{walletId}',
    },
  },
  'n8n-nodes-1shot.oneShotSynch': {
    credential: 'oneShotOAuth2Api',
    first: ['', 'execute'],
    second: 'one?.status == "Failed"',
    difference: 'It waits up to ten minutes for a transaction. ',
    operations: {},
  },
  'n8n-nodes-scrapeless.scrapeless': {
    credential: 'scrapelessApi',
    first: ['scrapingApi', 'googleSearch'],
    firsts: { crawler: 'scrape', universalScrapingApi: 'webUnlocker' },
    difference: 'The connection sends the key in the header X-API-Key. ',
    operations: {
      'universalScrapingApi.webUnlocker':
        'POST https://api.scrapeless.com/api/v1/unlocker/request actor="unlocker.webunlocker" input.url=url input.js_render=jsRender??true input.headless=headless??true input.js_instructions=jsInstructions|json input.block=block|json proxy.country=country??"ANY"',
    },
  },
  '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode': {
    credential: 'exploriumApi',
    first: ['', 'match'],
    difference:
      'The connection sends the key in the header API_KEY. What several enrichments find is put together; how each of them went is left out. ',
    operations: {},
  },
  '@brave/n8n-nodes-brave-search.braveSearch': {
    credential: 'braveSearchApi',
    first: ['', 'web'],
    address: 'https://api.search.brave.com/res/v1',
    difference: 'The connection sends the key in the header X-Subscription-Token. ',
    operations: {
      '.web':
        'GET /web/search q=query count=count??10 country=country??"US" search_lang=additionalParameters.search_lang ui_lang=additionalParameters.ui_lang offset=additionalParameters.offset safesearch=additionalParameters.safesearch freshness=additionalParameters.freshness spellcheck=additionalParameters.spellcheck result_filter=additionalParameters.result_filter|joined text_decorations=additionalParameters.text_decorations units=additionalParameters.units extra_snippets=additionalParameters.extra_snippets summary=additionalParameters.summary',
      '.news':
        'GET /news/search q=query count=count??20 country=country??"US" search_lang=additionalParameters.search_lang ui_lang=additionalParameters.ui_lang offset=additionalParameters.offset safesearch=additionalParameters.safesearch freshness=additionalParameters.freshness spellcheck=additionalParameters.spellcheck extra_snippets=additionalParameters.extra_snippets',
      '.videos':
        'GET /videos/search q=query count=count??20 country=country??"US" search_lang=additionalParameters.search_lang ui_lang=additionalParameters.ui_lang offset=additionalParameters.offset safesearch=additionalParameters.safesearch freshness=additionalParameters.freshness spellcheck=additionalParameters.spellcheck',
      '.images':
        'GET /images/search q=query count=count??50 country=country??"US" search_lang=additionalParameters.search_lang safesearch=additionalParameters.safesearch spellcheck=additionalParameters.spellcheck',
      '.suggest':
        'GET /suggest/search q=query count=count??20 country=additionalParameters.country lang=additionalParameters.lang rich=additionalParameters.rich',
      '.spellcheck':
        'GET /spellcheck/search q=query country=additionalParameters.country lang=additionalParameters.lang',
    },
  },
  '@scrapeops/n8n-nodes-scrapeops.ScrapeOps': {
    credential: 'scrapeOpsApi',
    first: ['', 'proxyApi'],
    by: 'apiType',
    address: 'https://proxy.scrapeops.io/v1',
    difference: 'The secret of the connection stands in the address. ',
    operations: {},
  },
  'n8n-nodes-connectsafely-ai.connectSafelyLinkedIn': {
    credential: 'connectSafelyApi',
    first: ['', 'getLatestPosts'],
    address: 'https://api.connectsafely.ai/linkedin',
    operations: {
      '.followUser': 'POST /follow action=action??"follow" accountId profileId profileUrn',
      '.sendMessage':
        'POST /message message accountId recipientProfileId recipientProfileUrn subject messageType=messageType??"normal"',
      '.sendConnectionRequest': 'POST /connect accountId profileId profileUrn customMessage',
      '.getLatestPosts':
        'POST /posts/latest count=count??1 includeReposts=includeReposts??true accountId profileId profileUrn',
      '.reactToPost': 'POST /posts/react postUrl reactionType=reactionType??"LIKE" accountId',
      '.commentOnPost':
        'POST /posts/comment postUrl comment accountId tagPostAuthor=tagPostAuthor??false companyUrn',
      '.getPostComments':
        'POST /posts/comments postUrl maxComments=maxComments??100 batchSize=batchSize??50 accountId commentCount=commentCount??50 start paginationToken',
      '.getAllPostComments':
        'POST /posts/comments/all postUrl maxComments=maxComments??100 batchSize=batchSize??50 accountId',
      '.searchPosts':
        'POST /posts/search keywords count=searchCount??50 start=searchStart??0 datePosted=datePosted??"any-time" sortBy=sortBy??"relevance" accountId authorJobTitles=authorJobTitles|list',
    },
  },
  '@vlm-run/n8n-nodes-vlmrun.vlmRun': {
    credential: 'vlmRunApi',
    first: ['', 'document'],
    difference:
      'The address of the connection is `https://api.vlm.run/v1`, and `https://agent.vlm.run/v1` for agents, so both in one workflow need two connections. ',
    operations: {},
  },
  '@firefliesai/n8n-nodes-fireflies.fireflies': {
    credential: 'firefliesApi',
    first: ['transcript', 'getTranscript'],
    firsts: { aiApp: 'getAIAppOutputs', user: 'getCurrentUser' },
    operations: {},
  },
  '@custom-js/n8n-nodes-pdf-toolkit.html2Pdf': customJs('html2Pdf'),
  '@custom-js/n8n-nodes-pdf-toolkit.Html2Docx': customJs('html2Docx'),
  '@custom-js/n8n-nodes-pdf-toolkit.CompressPDF': customJs('compressPdf', 'binary'),
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToPng': customJs('pdfToPng', 'binary'),
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToText': customJs('pdfToText', 'binary'),
  '@custom-js/n8n-nodes-pdf-toolkit.websiteScreenshot': customJs('websiteScreenshot'),
  ...communityDataServices,
};
