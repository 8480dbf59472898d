import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { CLIENT_ID, listUploads } from '../support/oauth-client.js';
import { allowRequest, DESKTOP_ID, DESKTOP_REDIRECT } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const WEB_REDIRECT = 'https://print-shop.example/callback';

/** Clients that others wrote, unchanged, against the service. */
describe('an independent client', () => {
  let owner: TestUser;
  let server: { clientId: string; secret: string };

  // Clients wait out the interval before they poll.
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    server = await registerApplication(await openSettings(service, owner), workspaceId, {
      kind: 'confidential',
      redirectUris: WEB_REDIRECT,
    });
  });

  const status = async (accessToken: string): Promise<number> =>
    (await listUploads(service.baseUrl, accessToken)).status;
  const allow = (url: URL): Promise<URL> =>
    allowRequest(new TestBrowser(service.baseUrl), url.pathname + url.search, owner);

  describe('openid-client', () => {
    const discover = (
      clientId: string,
      authentication: openid.ClientAuth,
    ): Promise<openid.Configuration> =>
      openid.discovery(new URL(service.baseUrl), clientId, undefined, authentication, {
        algorithm: 'oauth2',
        // Marked as deprecated only to stand out; the service under test speaks plain http.
        // oxlint-disable-next-line typescript/no-deprecated
        execute: [openid.allowInsecureRequests],
      });

    it.each([
      ['a public client', () => [DESKTOP_ID, DESKTOP_REDIRECT, openid.None()] as const],
      [
        'a confidential client with basic',
        () => [server.clientId, WEB_REDIRECT, openid.ClientSecretBasic(server.secret)] as const,
      ],
      [
        'a confidential client with post',
        () => [server.clientId, WEB_REDIRECT, openid.ClientSecretPost(server.secret)] as const,
      ],
    ])('signs in by code and PKCE, refreshes and revokes as %s', async (_name, make) => {
      const [clientId, redirectUri, authentication] = make();
      const config = await discover(clientId, authentication);
      const verifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'uploads:write',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });

      const tokens = await openid.authorizationCodeGrant(config, await allow(url), {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });

      expect(tokens.access_token).toMatch(/^svc_at_/);
      expect(await status(tokens.access_token)).toBe(200);
      const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(await status(renewed.access_token)).toBe(200);
      await openid.tokenRevocation(config, renewed.refresh_token ?? '');
      expect(await status(renewed.access_token)).toBe(401);
    });

    it('connects a device', async () => {
      const config = await discover(CLIENT_ID, openid.None());
      const device = await openid.initiateDeviceAuthorization(config, { scope: 'uploads:write' });
      const polling = openid.pollDeviceAuthorizationGrant(config, device);
      await approveDevice(service.baseUrl, device.user_code, owner);

      const tokens = await polling;

      expect(await status(tokens.access_token)).toBe(200);
      const resource = await discover(server.clientId, openid.ClientSecretBasic(server.secret));
      expect(await openid.tokenIntrospection(resource, tokens.access_token)).toMatchObject({
        active: true,
        client_id: CLIENT_ID,
        scope: 'uploads:write',
        token_type: 'Bearer',
      });
    });

    it.each([
      ['a device', 'device'],
      ['a code', 'code'],
    ])('binds the tokens of %s to its key (DPoP)', async (_name, kind) => {
      const isDevice = kind === 'device';
      const config = await discover(isDevice ? CLIENT_ID : DESKTOP_ID, openid.None());
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
      const tokens = isDevice ? await byDevice(config, DPoP) : await byCode(config, DPoP);

      expect(tokens.token_type).toBe('dpop');
      const renewed = await openid.refreshTokenGrant(
        config,
        tokens.refresh_token ?? '',
        undefined,
        { DPoP },
      );
      const me = await openid.fetchProtectedResource(
        config,
        renewed.access_token,
        new URL('/api/v1/me', service.baseUrl),
        'GET',
        undefined,
        undefined,
        { DPoP },
      );
      expect(me.status).toBe(200);
      expect(await status(renewed.access_token)).toBe(401);
    });

    async function byDevice(config: openid.Configuration, DPoP: openid.DPoPHandle) {
      const device = await openid.initiateDeviceAuthorization(config, { scope: 'uploads:write' });
      const polling = openid.pollDeviceAuthorizationGrant(config, device, undefined, { DPoP });
      await approveDevice(service.baseUrl, device.user_code, owner);
      return polling;
    }

    /** The code is bound as well, by `dpop_jkt` in the request. */
    async function byCode(config: openid.Configuration, DPoP: openid.DPoPHandle) {
      const verifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: DESKTOP_REDIRECT,
        scope: 'uploads:write',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        dpop_jkt: await DPoP.calculateThumbprint(),
        state,
      });
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      await expect(
        openid.authorizationCodeGrant(config, await allow(url), checks),
      ).rejects.toMatchObject({ error: 'invalid_grant' });
      return openid.authorizationCodeGrant(config, await allow(url), checks, undefined, { DPoP });
    }
  });

  describe('oauth4webapi', () => {
    // As above.
    // oxlint-disable-next-line typescript/no-deprecated
    const insecure = { [oauth.allowInsecureRequests]: true };
    const discover = async (): Promise<oauth.AuthorizationServer> => {
      const issuer = new URL(service.baseUrl);
      const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
      return oauth.processDiscoveryResponse(issuer, answer);
    };

    it.each([
      ['a public client', () => [DESKTOP_ID, DESKTOP_REDIRECT, oauth.None()] as const],
      [
        'a confidential client',
        () => [server.clientId, WEB_REDIRECT, oauth.ClientSecretBasic(server.secret)] as const,
      ],
    ])('signs in by code and PKCE, refreshes and revokes as %s', async (_name, make) => {
      const [clientId, redirectUri, authentication] = make();
      const as = await discover();
      const client = { client_id: clientId };
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'uploads:write',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }).toString();

      const parameters = oauth.validateAuthResponse(as, client, await allow(url), state);
      const exchanged = await oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(
          as,
          client,
          authentication,
          parameters,
          redirectUri,
          verifier,
          insecure,
        ),
      );

      expect(await status(exchanged.access_token)).toBe(200);
      const renewed = await oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(
          as,
          client,
          authentication,
          exchanged.refresh_token ?? '',
          insecure,
        ),
      );
      expect(await status(renewed.access_token)).toBe(200);
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client, authentication, renewed.access_token, insecure),
      );
      expect(await status(renewed.access_token)).toBe(401);
    });

    it('connects a device', async () => {
      const as = await discover();
      const client = { client_id: CLIENT_ID };
      const device = await oauth.processDeviceAuthorizationResponse(
        as,
        client,
        await oauth.deviceAuthorizationRequest(
          as,
          client,
          oauth.None(),
          { scope: 'uploads:write' },
          insecure,
        ),
      );
      expect(device.interval).toBe(1);
      await approveDevice(service.baseUrl, device.user_code, owner);

      const tokens = await oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(as, client, oauth.None(), device.device_code, insecure),
      );

      expect(await status(tokens.access_token)).toBe(200);
      const resource = { client_id: server.clientId };
      const secret = oauth.ClientSecretPost(server.secret);
      const shown = await oauth.processIntrospectionResponse(
        as,
        resource,
        await oauth.introspectionRequest(as, resource, secret, tokens.access_token, insecure),
      );
      expect(shown).toMatchObject({ active: true, client_id: CLIENT_ID });
    });

    it('binds the tokens of a device to its key (DPoP)', async () => {
      const as = await discover();
      const client = { client_id: CLIENT_ID };
      const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('Ed25519'));
      const options = { ...insecure, DPoP };
      const scope = { scope: 'uploads:write' };
      const device = await oauth.processDeviceAuthorizationResponse(
        as,
        client,
        await oauth.deviceAuthorizationRequest(as, client, oauth.None(), scope, insecure),
      );
      await approveDevice(service.baseUrl, device.user_code, owner);
      const { device_code: code } = device;
      const tokens = await oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(as, client, oauth.None(), code, options),
      );
      const refreshToken = tokens.refresh_token ?? '';
      const renewed = await oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refreshToken, options),
      );

      const me = new URL('/api/v1/me', service.baseUrl);
      const token = renewed.access_token;
      expect(
        (await oauth.protectedResourceRequest(token, 'GET', me, undefined, undefined, options))
          .status,
      ).toBe(200);
      const resource = { client_id: server.clientId };
      const secret = oauth.ClientSecretBasic(server.secret);
      const shown = await oauth.processIntrospectionResponse(
        as,
        resource,
        await oauth.introspectionRequest(as, resource, secret, token, insecure),
      );
      expect(shown).toMatchObject({ token_type: 'DPoP', cnf: { jkt: expect.any(String) } });
    });
  });
});
