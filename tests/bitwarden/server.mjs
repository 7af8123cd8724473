/*
 * A small Bitwarden server on loopback, behind TLS, with one account and its vault. It has what a real one has: what the
 * clients encrypted, and a hash of the master password. It answers what logging in and syncing need, and 404 otherwise.
 *
 * The formats are those of Bitwarden's security white paper: the master key (PBKDF2), stretched by HKDF, wraps the user
 * key, which encrypts the private key and each field (AES-256-CBC with HMAC-SHA256, "type 2").
 */
import { createCipheriv, createHmac, generateKeyPairSync, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { certificates } from '../e2e/harness/remote.mjs';

/** The default of a new account. */
const ITERATIONS = 600_000;
const KDF = { kdfType: 0, iterations: ITERATIONS };
const CREATED = '2026-01-01T00:00:00.000Z';

const pbkdf2 = (secret, salt, iterations) => pbkdf2Sync(secret, salt, iterations, 32, 'sha256');
const hmac = (key, ...parts) => parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();

/** Returns 64 bytes from 32: the expanding half of HKDF, with one block for each use. */
function stretched(key) {
  return Buffer.concat(['enc', 'mac'].map((use) => hmac(key, use, Buffer.of(1))));
}

/** Returns data encrypted with a key of 64 bytes, as the clients write it. */
function encrypted(data, key) {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key.subarray(0, 32), iv);
  const text = Buffer.concat([cipher.update(data), cipher.final()]);
  const parts = [iv, text, hmac(key.subarray(32), iv, text)];
  return `2.${parts.map((part) => part.toString('base64')).join('|')}`;
}

export class BitwardenServer {
  /** The requests in order, with the status of the answer: `GET /api/sync 200`. */
  asked = [];
  #ciphers = [];
  #securityStamp = randomUUID();
  #refreshToken = randomUUID();
  #token;

  /** Starts it with an empty vault. Its certificates are in `folder`; `ca` is the file of their authority. */
  static async start(folder, email, masterPassword) {
    const server = new BitwardenServer();
    const { ca, key, cert } = certificates(folder);
    server.ca = ca;
    server.#register(email, masterPassword);
    server.server = createServer({ key, cert }, (request, response) => server.#serve(request, response)).listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    server.place = `127.0.0.1:${server.server.address().port}`;
    server.url = `https://${server.place}`;
    return server;
  }

  /** Does what a client and a server do for a new account. */
  #register(email, masterPassword) {
    const masterKey = pbkdf2(masterPassword, email, ITERATIONS);
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.userKey = randomBytes(64);
    this.account = {
      id: randomUUID(),
      email,
      passwordHash: pbkdf2(masterKey, masterPassword, 1).toString('base64'),
      key: encrypted(this.userKey, stretched(masterKey)),
      publicKey: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      privateKey: encrypted(pair.privateKey.export({ type: 'pkcs8', format: 'der' }), this.userKey),
    };
  }

  /** Adds a login to the vault; returns its id. */
  add({ name, user, password, totp }) {
    const field = (text) => (text === undefined ? null : encrypted(text, this.userKey));
    const id = randomUUID();
    const about = { type: 1, favorite: false, edit: true, viewPassword: true, reprompt: 0, creationDate: CREATED, revisionDate: CREATED };
    this.#ciphers.push({ id, ...about, name: field(name), login: { username: field(user), password: field(password), totp: field(totp) } });
    return id;
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { pathname } = new URL(request.url, this.url);
    const name = `${request.method} ${pathname}`;
    const [status, value] = this.#answer(name, request.headers.authorization, Buffer.concat(parts).toString());
    this.asked.push(`${name} ${status}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  #answer(name, authorization, body) {
    switch (name) {
      case 'GET /api/config':
        return [200, { version: '2026.9.0', environment: { api: `${this.url}/api`, identity: `${this.url}/identity` }, featureStates: {} }];
      case 'POST /identity/accounts/prelogin/password':
        return [200, { kdfSettings: KDF, salt: this.account.email }];
      case 'POST /identity/connect/token':
        return this.#logIn(new URLSearchParams(body));
    }
    if (!this.#token || authorization !== `Bearer ${this.#token}`) return [401, {}];
    switch (name) {
      case 'GET /api/accounts/revision-date':
        return [200, Date.parse(CREATED)];
      case 'GET /api/sync':
        return [200, this.#vault()];
      case 'POST /api/accounts/key-management/user-key-id':
        this.userKeyId = JSON.parse(body).userKeyId;
        return [200, {}];
      default:
        return [404, {}];
    }
  }

  /** What a client needs, besides the master password, to decrypt the user key. */
  get #decryption() {
    const { email, key } = this.account;
    return {
      hasMasterPassword: true,
      masterPasswordUnlock: { salt: email, kdf: KDF, masterKeyEncryptedUserKey: key },
      userKeyId: this.userKeyId,
    };
  }

  get #keys() {
    const { publicKey, privateKey } = this.account;
    return { publicKeyEncryptionKeyPair: { publicKey, wrappedPrivateKey: privateKey } };
  }

  #logIn(form) {
    const { id, email, passwordHash, key, privateKey } = this.account;
    const isKnown = form.get('username') === email && form.get('password') === passwordHash;
    if (!isKnown && form.get('refresh_token') !== this.#refreshToken) {
      return [
        400,
        {
          error: 'invalid_grant',
          error_description: 'invalid_username_or_password',
          ErrorModel: { Message: 'The master password is wrong.' },
        },
      ];
    }
    const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: id, email, email_verified: true, name: 'Ada', premium: true, iss: `${this.url}/identity`, client_id: 'cli' };
    const token = [encoded({ alg: 'HS256', typ: 'JWT' }), encoded({ ...claims, nbf: now, exp: now + 3600 })].join('.');
    this.#token = `${token}.${hmac(randomBytes(32), token).toString('base64url')}`;
    const answer = { access_token: this.#token, expires_in: 3600, token_type: 'Bearer', refresh_token: this.#refreshToken, Kdf: 0 };
    const keys = { Key: key, PrivateKey: privateKey, AccountKeys: this.#keys, UserDecryptionOptions: this.#decryption };
    return [200, { ...answer, KdfIterations: ITERATIONS, ...keys }];
  }

  #vault() {
    const { id, email, key, privateKey } = this.account;
    const profile = {
      id,
      email,
      name: 'Ada',
      emailVerified: true,
      // Without it, there are no one-time codes.
      premium: true,
      key,
      privateKey,
      accountKeys: this.#keys,
      securityStamp: this.#securityStamp,
      creationDate: CREATED,
      organizations: [],
      providers: [],
      providerOrganizations: [],
    };
    const domains = { equivalentDomains: [], globalEquivalentDomains: [] };
    return {
      profile,
      folders: [],
      collections: [],
      ciphers: this.#ciphers,
      domains,
      policies: [],
      sends: [],
      userDecryption: this.#decryption,
    };
  }

  async stop() {
    const closed = once(this.server.close(), 'close');
    this.server.closeAllConnections();
    await closed;
  }
}
