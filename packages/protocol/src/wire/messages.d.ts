// Generated from messages.proto by `pnpm generate`. Changes belong there.
import type { Codec, DecodeOptions } from 'protons-runtime';
import type { Uint8ArrayList } from 'uint8arraylist';
export interface Statement {
    kind: number;
    signer: Uint8Array<ArrayBuffer>;
    body: Uint8Array<ArrayBuffer>;
    signature: Uint8Array<ArrayBuffer>;
}
export declare namespace Statement {
    const codec: () => Codec<Statement>;
    interface StatementKindFieldEvent {
        field: '$.kind';
        value: number;
    }
    interface StatementSignerFieldEvent {
        field: '$.signer';
        value: Uint8Array<ArrayBuffer>;
    }
    interface StatementBodyFieldEvent {
        field: '$.body';
        value: Uint8Array<ArrayBuffer>;
    }
    interface StatementSignatureFieldEvent {
        field: '$.signature';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Statement>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Statement>): Statement;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Statement>): Generator<StatementKindFieldEvent | StatementSignerFieldEvent | StatementBodyFieldEvent | StatementSignatureFieldEvent>;
}
export interface Joined {
    incarnation: number;
    nonce: number;
    addresses: Uint8Array<ArrayBuffer>[];
    location: string;
    tag: Uint8Array<ArrayBuffer>;
    version: number;
    joinedAt: number;
    constants: Constant[];
    reach: number;
}
export declare namespace Joined {
    const codec: () => Codec<Joined>;
    interface JoinedIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface JoinedNonceFieldEvent {
        field: '$.nonce';
        value: number;
    }
    interface JoinedAddressesFieldEvent {
        field: '$.addresses[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    interface JoinedLocationFieldEvent {
        field: '$.location';
        value: string;
    }
    interface JoinedTagFieldEvent {
        field: '$.tag';
        value: Uint8Array<ArrayBuffer>;
    }
    interface JoinedVersionFieldEvent {
        field: '$.version';
        value: number;
    }
    interface JoinedJoinedAtFieldEvent {
        field: '$.joinedAt';
        value: number;
    }
    interface JoinedConstantsNameFieldEvent {
        field: '$.constants[].name';
        value: string;
        index: number;
    }
    interface JoinedConstantsValueFieldEvent {
        field: '$.constants[].value';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface JoinedReachFieldEvent {
        field: '$.reach';
        value: number;
    }
    function encode(obj: Partial<Joined>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Joined>): Joined;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Joined>): Generator<JoinedIncarnationFieldEvent | JoinedNonceFieldEvent | JoinedAddressesFieldEvent | JoinedLocationFieldEvent | JoinedTagFieldEvent | JoinedVersionFieldEvent | JoinedJoinedAtFieldEvent | JoinedConstantsNameFieldEvent | JoinedConstantsValueFieldEvent | JoinedReachFieldEvent>;
}
export interface Constant {
    name: string;
    value: Uint8Array<ArrayBuffer>;
}
export declare namespace Constant {
    const codec: () => Codec<Constant>;
    interface ConstantNameFieldEvent {
        field: '$.name';
        value: string;
    }
    interface ConstantValueFieldEvent {
        field: '$.value';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Constant>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Constant>): Constant;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Constant>): Generator<ConstantNameFieldEvent | ConstantValueFieldEvent>;
}
export interface Left {
    incarnation: number;
}
export declare namespace Left {
    const codec: () => Codec<Left>;
    interface LeftIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    function encode(obj: Partial<Left>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Left>): Left;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Left>): Generator<LeftIncarnationFieldEvent>;
}
export interface Suspicion {
    suspect: Uint8Array<ArrayBuffer>;
    incarnation: number;
    heartbeat: number;
}
export declare namespace Suspicion {
    const codec: () => Codec<Suspicion>;
    interface SuspicionSuspectFieldEvent {
        field: '$.suspect';
        value: Uint8Array<ArrayBuffer>;
    }
    interface SuspicionIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface SuspicionHeartbeatFieldEvent {
        field: '$.heartbeat';
        value: number;
    }
    function encode(obj: Partial<Suspicion>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Suspicion>): Suspicion;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Suspicion>): Generator<SuspicionSuspectFieldEvent | SuspicionIncarnationFieldEvent | SuspicionHeartbeatFieldEvent>;
}
export interface Refutation {
    incarnation: number;
    heartbeat: number;
}
export declare namespace Refutation {
    const codec: () => Codec<Refutation>;
    interface RefutationIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface RefutationHeartbeatFieldEvent {
        field: '$.heartbeat';
        value: number;
    }
    function encode(obj: Partial<Refutation>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Refutation>): Refutation;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Refutation>): Generator<RefutationIncarnationFieldEvent | RefutationHeartbeatFieldEvent>;
}
export interface Candidacy {
    election: string;
    incarnation: number;
    sequence: number;
    withdrawn: boolean;
}
export declare namespace Candidacy {
    const codec: () => Codec<Candidacy>;
    interface CandidacyElectionFieldEvent {
        field: '$.election';
        value: string;
    }
    interface CandidacyIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface CandidacySequenceFieldEvent {
        field: '$.sequence';
        value: number;
    }
    interface CandidacyWithdrawnFieldEvent {
        field: '$.withdrawn';
        value: boolean;
    }
    function encode(obj: Partial<Candidacy>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Candidacy>): Candidacy;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Candidacy>): Generator<CandidacyElectionFieldEvent | CandidacyIncarnationFieldEvent | CandidacySequenceFieldEvent | CandidacyWithdrawnFieldEvent>;
}
export interface Claim {
    election: string;
    epoch: number;
    incarnation: number;
    sequence: number;
}
export declare namespace Claim {
    const codec: () => Codec<Claim>;
    interface ClaimElectionFieldEvent {
        field: '$.election';
        value: string;
    }
    interface ClaimEpochFieldEvent {
        field: '$.epoch';
        value: number;
    }
    interface ClaimIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface ClaimSequenceFieldEvent {
        field: '$.sequence';
        value: number;
    }
    function encode(obj: Partial<Claim>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Claim>): Claim;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Claim>): Generator<ClaimElectionFieldEvent | ClaimEpochFieldEvent | ClaimIncarnationFieldEvent | ClaimSequenceFieldEvent>;
}
export interface Record {
    name: string;
    version: number;
    expires: number;
    value: Uint8Array<ArrayBuffer>;
    withdrawn: boolean;
    ends: number;
}
export declare namespace Record {
    const codec: () => Codec<Record>;
    interface RecordNameFieldEvent {
        field: '$.name';
        value: string;
    }
    interface RecordVersionFieldEvent {
        field: '$.version';
        value: number;
    }
    interface RecordExpiresFieldEvent {
        field: '$.expires';
        value: number;
    }
    interface RecordValueFieldEvent {
        field: '$.value';
        value: Uint8Array<ArrayBuffer>;
    }
    interface RecordWithdrawnFieldEvent {
        field: '$.withdrawn';
        value: boolean;
    }
    interface RecordEndsFieldEvent {
        field: '$.ends';
        value: number;
    }
    function encode(obj: Partial<Record>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Record>): Record;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Record>): Generator<RecordNameFieldEvent | RecordVersionFieldEvent | RecordExpiresFieldEvent | RecordValueFieldEvent | RecordWithdrawnFieldEvent | RecordEndsFieldEvent>;
}
export interface UserEvent {
    name: string;
    payload: Uint8Array<ArrayBuffer>;
    query?: Query;
}
export declare namespace UserEvent {
    const codec: () => Codec<UserEvent>;
    interface UserEventNameFieldEvent {
        field: '$.name';
        value: string;
    }
    interface UserEventPayloadFieldEvent {
        field: '$.payload';
        value: Uint8Array<ArrayBuffer>;
    }
    interface UserEventQueryIdFieldEvent {
        field: '$.query.id';
        value: number;
    }
    interface UserEventQueryTimeoutMsFieldEvent {
        field: '$.query.timeoutMs';
        value: number;
    }
    interface UserEventQueryTargetsFieldEvent {
        field: '$.query.targets';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<UserEvent>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UserEvent>): UserEvent;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<UserEvent>): Generator<UserEventNameFieldEvent | UserEventPayloadFieldEvent | UserEventQueryIdFieldEvent | UserEventQueryTimeoutMsFieldEvent | UserEventQueryTargetsFieldEvent>;
}
export interface Query {
    id: number;
    timeoutMs: number;
    targets: Uint8Array<ArrayBuffer>;
}
export declare namespace Query {
    const codec: () => Codec<Query>;
    interface QueryIdFieldEvent {
        field: '$.id';
        value: number;
    }
    interface QueryTimeoutMsFieldEvent {
        field: '$.timeoutMs';
        value: number;
    }
    interface QueryTargetsFieldEvent {
        field: '$.targets';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Query>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Query>): Query;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Query>): Generator<QueryIdFieldEvent | QueryTimeoutMsFieldEvent | QueryTargetsFieldEvent>;
}
export interface Certificate {
    suspect: Uint8Array<ArrayBuffer>;
    incarnation: number;
    accusers: Accuser[];
}
export declare namespace Certificate {
    const codec: () => Codec<Certificate>;
    interface CertificateSuspectFieldEvent {
        field: '$.suspect';
        value: Uint8Array<ArrayBuffer>;
    }
    interface CertificateIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface CertificateAccusersSignerFieldEvent {
        field: '$.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface CertificateAccusersHeartbeatFieldEvent {
        field: '$.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface CertificateAccusersSignatureFieldEvent {
        field: '$.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    function encode(obj: Partial<Certificate>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Certificate>): Certificate;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Certificate>): Generator<CertificateSuspectFieldEvent | CertificateIncarnationFieldEvent | CertificateAccusersSignerFieldEvent | CertificateAccusersHeartbeatFieldEvent | CertificateAccusersSignatureFieldEvent>;
}
export interface Accuser {
    signer: Uint8Array<ArrayBuffer>;
    heartbeat: number;
    signature: Uint8Array<ArrayBuffer>;
}
export declare namespace Accuser {
    const codec: () => Codec<Accuser>;
    interface AccuserSignerFieldEvent {
        field: '$.signer';
        value: Uint8Array<ArrayBuffer>;
    }
    interface AccuserHeartbeatFieldEvent {
        field: '$.heartbeat';
        value: number;
    }
    interface AccuserSignatureFieldEvent {
        field: '$.signature';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Accuser>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Accuser>): Accuser;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Accuser>): Generator<AccuserSignerFieldEvent | AccuserHeartbeatFieldEvent | AccuserSignatureFieldEvent>;
}
export interface Fact {
    statement?: Statement;
    certificate?: Certificate;
    ageSeconds: number;
}
export declare namespace Fact {
    const codec: () => Codec<Fact>;
    interface FactStatementKindFieldEvent {
        field: '$.statement.kind';
        value: number;
    }
    interface FactStatementSignerFieldEvent {
        field: '$.statement.signer';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FactStatementBodyFieldEvent {
        field: '$.statement.body';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FactStatementSignatureFieldEvent {
        field: '$.statement.signature';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FactCertificateSuspectFieldEvent {
        field: '$.certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FactCertificateIncarnationFieldEvent {
        field: '$.certificate.incarnation';
        value: number;
    }
    interface FactCertificateAccusersSignerFieldEvent {
        field: '$.certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactCertificateAccusersHeartbeatFieldEvent {
        field: '$.certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface FactCertificateAccusersSignatureFieldEvent {
        field: '$.certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactAgeSecondsFieldEvent {
        field: '$.ageSeconds';
        value: number;
    }
    function encode(obj: Partial<Fact>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Fact>): Fact;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Fact>): Generator<FactStatementKindFieldEvent | FactStatementSignerFieldEvent | FactStatementBodyFieldEvent | FactStatementSignatureFieldEvent | FactCertificateSuspectFieldEvent | FactCertificateIncarnationFieldEvent | FactCertificateAccusersSignerFieldEvent | FactCertificateAccusersHeartbeatFieldEvent | FactCertificateAccusersSignatureFieldEvent | FactAgeSecondsFieldEvent>;
}
export interface Broadcast {
    nonce: number;
    facts: Fact[];
}
export declare namespace Broadcast {
    const codec: () => Codec<Broadcast>;
    interface BroadcastNonceFieldEvent {
        field: '$.nonce';
        value: number;
    }
    interface BroadcastFactsStatementKindFieldEvent {
        field: '$.facts[].statement.kind';
        value: number;
        index: number;
    }
    interface BroadcastFactsStatementSignerFieldEvent {
        field: '$.facts[].statement.signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsStatementBodyFieldEvent {
        field: '$.facts[].statement.body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsStatementSignatureFieldEvent {
        field: '$.facts[].statement.signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsCertificateSuspectFieldEvent {
        field: '$.facts[].certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsCertificateIncarnationFieldEvent {
        field: '$.facts[].certificate.incarnation';
        value: number;
        index: number;
    }
    interface BroadcastFactsCertificateAccusersSignerFieldEvent {
        field: '$.facts[].certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsCertificateAccusersHeartbeatFieldEvent {
        field: '$.facts[].certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface BroadcastFactsCertificateAccusersSignatureFieldEvent {
        field: '$.facts[].certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface BroadcastFactsAgeSecondsFieldEvent {
        field: '$.facts[].ageSeconds';
        value: number;
        index: number;
    }
    function encode(obj: Partial<Broadcast>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Broadcast>): Broadcast;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Broadcast>): Generator<BroadcastNonceFieldEvent | BroadcastFactsStatementKindFieldEvent | BroadcastFactsStatementSignerFieldEvent | BroadcastFactsStatementBodyFieldEvent | BroadcastFactsStatementSignatureFieldEvent | BroadcastFactsCertificateSuspectFieldEvent | BroadcastFactsCertificateIncarnationFieldEvent | BroadcastFactsCertificateAccusersSignerFieldEvent | BroadcastFactsCertificateAccusersHeartbeatFieldEvent | BroadcastFactsCertificateAccusersSignatureFieldEvent | BroadcastFactsAgeSecondsFieldEvent>;
}
export interface Frame {
    hello?: Hello;
    redirect?: Redirect;
    reconcile?: Reconcile;
    facts?: Facts;
    probe?: Probe;
    ack?: Ack;
    alarm?: Alarm;
    signal?: Signal;
    signalAck?: SignalAck;
    goodbye?: Goodbye;
    offer?: Offer;
    want?: Want;
    pingReq?: PingReq;
    pingReqAck?: PingReqAck;
}
export declare namespace Frame {
    const codec: () => Codec<Frame>;
    interface FrameHelloKnownFieldEvent {
        field: '$.hello.known';
        value: number;
    }
    interface FrameHelloEndedFieldEvent {
        field: '$.hello.ended';
        value: boolean;
    }
    interface FrameHelloIncarnationFieldEvent {
        field: '$.hello.incarnation';
        value: number;
    }
    interface FrameHelloTodayFieldEvent {
        field: '$.hello.today';
        value: number;
    }
    interface FrameRedirectMembersStatementKindFieldEvent {
        field: '$.redirect.members[].statement.kind';
        value: number;
        index: number;
    }
    interface FrameRedirectMembersStatementSignerFieldEvent {
        field: '$.redirect.members[].statement.signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersStatementBodyFieldEvent {
        field: '$.redirect.members[].statement.body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersStatementSignatureFieldEvent {
        field: '$.redirect.members[].statement.signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersCertificateSuspectFieldEvent {
        field: '$.redirect.members[].certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersCertificateIncarnationFieldEvent {
        field: '$.redirect.members[].certificate.incarnation';
        value: number;
        index: number;
    }
    interface FrameRedirectMembersCertificateAccusersSignerFieldEvent {
        field: '$.redirect.members[].certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersCertificateAccusersHeartbeatFieldEvent {
        field: '$.redirect.members[].certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface FrameRedirectMembersCertificateAccusersSignatureFieldEvent {
        field: '$.redirect.members[].certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameRedirectMembersAgeSecondsFieldEvent {
        field: '$.redirect.members[].ageSeconds';
        value: number;
        index: number;
    }
    interface FrameReconcileRoundFieldEvent {
        field: '$.reconcile.round';
        value: number;
    }
    interface FrameReconcileRangesFromFieldEvent {
        field: '$.reconcile.ranges[].from';
        value: number;
        index: number;
    }
    interface FrameReconcileRangesToFieldEvent {
        field: '$.reconcile.ranges[].to';
        value: number;
        index: number;
    }
    interface FrameReconcileRangesCountFieldEvent {
        field: '$.reconcile.ranges[].count';
        value: number;
        index: number;
    }
    interface FrameReconcileRangesFingerprintFieldEvent {
        field: '$.reconcile.ranges[].fingerprint';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameReconcileRangesItemsFieldEvent {
        field: '$.reconcile.ranges[].items';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameReconcileRangesWantedFieldEvent {
        field: '$.reconcile.ranges[].wanted';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameReconcileRangesListedFieldEvent {
        field: '$.reconcile.ranges[].listed';
        value: boolean;
        index: number;
    }
    interface FrameFactsFactsStatementKindFieldEvent {
        field: '$.facts.facts[].statement.kind';
        value: number;
        index: number;
    }
    interface FrameFactsFactsStatementSignerFieldEvent {
        field: '$.facts.facts[].statement.signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsStatementBodyFieldEvent {
        field: '$.facts.facts[].statement.body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsStatementSignatureFieldEvent {
        field: '$.facts.facts[].statement.signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsCertificateSuspectFieldEvent {
        field: '$.facts.facts[].certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsCertificateIncarnationFieldEvent {
        field: '$.facts.facts[].certificate.incarnation';
        value: number;
        index: number;
    }
    interface FrameFactsFactsCertificateAccusersSignerFieldEvent {
        field: '$.facts.facts[].certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsCertificateAccusersHeartbeatFieldEvent {
        field: '$.facts.facts[].certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface FrameFactsFactsCertificateAccusersSignatureFieldEvent {
        field: '$.facts.facts[].certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameFactsFactsAgeSecondsFieldEvent {
        field: '$.facts.facts[].ageSeconds';
        value: number;
        index: number;
    }
    interface FrameFactsFreshFieldEvent {
        field: '$.facts.fresh';
        value: boolean;
    }
    interface FrameProbeSequenceFieldEvent {
        field: '$.probe.sequence';
        value: number;
    }
    interface FrameAckSequenceFieldEvent {
        field: '$.ack.sequence';
        value: number;
    }
    interface FrameAckNextInMsFieldEvent {
        field: '$.ack.nextInMs';
        value: number;
    }
    interface FrameAckHeartbeatFieldEvent {
        field: '$.ack.heartbeat';
        value: number;
    }
    interface FrameAlarmStatementsKindFieldEvent {
        field: '$.alarm.statements[].kind';
        value: number;
        index: number;
    }
    interface FrameAlarmStatementsSignerFieldEvent {
        field: '$.alarm.statements[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameAlarmStatementsBodyFieldEvent {
        field: '$.alarm.statements[].body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameAlarmStatementsSignatureFieldEvent {
        field: '$.alarm.statements[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FrameSignalReferenceFieldEvent {
        field: '$.signal.reference';
        value: number;
    }
    interface FrameSignalNameFieldEvent {
        field: '$.signal.name';
        value: string;
    }
    interface FrameSignalAckReferenceFieldEvent {
        field: '$.signalAck.reference';
        value: number;
    }
    interface FrameGoodbyeReasonFieldEvent {
        field: '$.goodbye.reason';
        value: string;
    }
    interface FrameOfferItemsFieldEvent {
        field: '$.offer.items';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FrameWantItemsFieldEvent {
        field: '$.want.items';
        value: Uint8Array<ArrayBuffer>;
    }
    interface FramePingReqSubjectsFieldEvent {
        field: '$.pingReq.subjects[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    interface FramePingReqAckReachedKindFieldEvent {
        field: '$.pingReqAck.reached[].kind';
        value: number;
        index: number;
    }
    interface FramePingReqAckReachedSignerFieldEvent {
        field: '$.pingReqAck.reached[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FramePingReqAckReachedBodyFieldEvent {
        field: '$.pingReqAck.reached[].body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FramePingReqAckReachedSignatureFieldEvent {
        field: '$.pingReqAck.reached[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FramePingReqAckMissedFieldEvent {
        field: '$.pingReqAck.missed[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    interface FramePingReqAckUnknownFieldEvent {
        field: '$.pingReqAck.unknown[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Frame>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Frame>): Frame;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Frame>): Generator<FrameHelloKnownFieldEvent | FrameHelloEndedFieldEvent | FrameHelloIncarnationFieldEvent | FrameHelloTodayFieldEvent | FrameRedirectMembersStatementKindFieldEvent | FrameRedirectMembersStatementSignerFieldEvent | FrameRedirectMembersStatementBodyFieldEvent | FrameRedirectMembersStatementSignatureFieldEvent | FrameRedirectMembersCertificateSuspectFieldEvent | FrameRedirectMembersCertificateIncarnationFieldEvent | FrameRedirectMembersCertificateAccusersSignerFieldEvent | FrameRedirectMembersCertificateAccusersHeartbeatFieldEvent | FrameRedirectMembersCertificateAccusersSignatureFieldEvent | FrameRedirectMembersAgeSecondsFieldEvent | FrameReconcileRoundFieldEvent | FrameReconcileRangesFromFieldEvent | FrameReconcileRangesToFieldEvent | FrameReconcileRangesCountFieldEvent | FrameReconcileRangesFingerprintFieldEvent | FrameReconcileRangesItemsFieldEvent | FrameReconcileRangesWantedFieldEvent | FrameReconcileRangesListedFieldEvent | FrameFactsFactsStatementKindFieldEvent | FrameFactsFactsStatementSignerFieldEvent | FrameFactsFactsStatementBodyFieldEvent | FrameFactsFactsStatementSignatureFieldEvent | FrameFactsFactsCertificateSuspectFieldEvent | FrameFactsFactsCertificateIncarnationFieldEvent | FrameFactsFactsCertificateAccusersSignerFieldEvent | FrameFactsFactsCertificateAccusersHeartbeatFieldEvent | FrameFactsFactsCertificateAccusersSignatureFieldEvent | FrameFactsFactsAgeSecondsFieldEvent | FrameFactsFreshFieldEvent | FrameProbeSequenceFieldEvent | FrameAckSequenceFieldEvent | FrameAckNextInMsFieldEvent | FrameAckHeartbeatFieldEvent | FrameAlarmStatementsKindFieldEvent | FrameAlarmStatementsSignerFieldEvent | FrameAlarmStatementsBodyFieldEvent | FrameAlarmStatementsSignatureFieldEvent | FrameSignalReferenceFieldEvent | FrameSignalNameFieldEvent | FrameSignalAckReferenceFieldEvent | FrameGoodbyeReasonFieldEvent | FrameOfferItemsFieldEvent | FrameWantItemsFieldEvent | FramePingReqSubjectsFieldEvent | FramePingReqAckReachedKindFieldEvent | FramePingReqAckReachedSignerFieldEvent | FramePingReqAckReachedBodyFieldEvent | FramePingReqAckReachedSignatureFieldEvent | FramePingReqAckMissedFieldEvent | FramePingReqAckUnknownFieldEvent>;
}
export interface Hello {
    known: number;
    ended: boolean;
    incarnation: number;
    today?: number;
}
export declare namespace Hello {
    const codec: () => Codec<Hello>;
    interface HelloKnownFieldEvent {
        field: '$.known';
        value: number;
    }
    interface HelloEndedFieldEvent {
        field: '$.ended';
        value: boolean;
    }
    interface HelloIncarnationFieldEvent {
        field: '$.incarnation';
        value: number;
    }
    interface HelloTodayFieldEvent {
        field: '$.today';
        value: number;
    }
    function encode(obj: Partial<Hello>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Hello>): Hello;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Hello>): Generator<HelloKnownFieldEvent | HelloEndedFieldEvent | HelloIncarnationFieldEvent | HelloTodayFieldEvent>;
}
export interface Redirect {
    members: Fact[];
}
export declare namespace Redirect {
    const codec: () => Codec<Redirect>;
    interface RedirectMembersStatementKindFieldEvent {
        field: '$.members[].statement.kind';
        value: number;
        index: number;
    }
    interface RedirectMembersStatementSignerFieldEvent {
        field: '$.members[].statement.signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersStatementBodyFieldEvent {
        field: '$.members[].statement.body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersStatementSignatureFieldEvent {
        field: '$.members[].statement.signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersCertificateSuspectFieldEvent {
        field: '$.members[].certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersCertificateIncarnationFieldEvent {
        field: '$.members[].certificate.incarnation';
        value: number;
        index: number;
    }
    interface RedirectMembersCertificateAccusersSignerFieldEvent {
        field: '$.members[].certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersCertificateAccusersHeartbeatFieldEvent {
        field: '$.members[].certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface RedirectMembersCertificateAccusersSignatureFieldEvent {
        field: '$.members[].certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface RedirectMembersAgeSecondsFieldEvent {
        field: '$.members[].ageSeconds';
        value: number;
        index: number;
    }
    function encode(obj: Partial<Redirect>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Redirect>): Redirect;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Redirect>): Generator<RedirectMembersStatementKindFieldEvent | RedirectMembersStatementSignerFieldEvent | RedirectMembersStatementBodyFieldEvent | RedirectMembersStatementSignatureFieldEvent | RedirectMembersCertificateSuspectFieldEvent | RedirectMembersCertificateIncarnationFieldEvent | RedirectMembersCertificateAccusersSignerFieldEvent | RedirectMembersCertificateAccusersHeartbeatFieldEvent | RedirectMembersCertificateAccusersSignatureFieldEvent | RedirectMembersAgeSecondsFieldEvent>;
}
export interface Reconcile {
    round: number;
    ranges: Range[];
}
export declare namespace Reconcile {
    const codec: () => Codec<Reconcile>;
    interface ReconcileRoundFieldEvent {
        field: '$.round';
        value: number;
    }
    interface ReconcileRangesFromFieldEvent {
        field: '$.ranges[].from';
        value: number;
        index: number;
    }
    interface ReconcileRangesToFieldEvent {
        field: '$.ranges[].to';
        value: number;
        index: number;
    }
    interface ReconcileRangesCountFieldEvent {
        field: '$.ranges[].count';
        value: number;
        index: number;
    }
    interface ReconcileRangesFingerprintFieldEvent {
        field: '$.ranges[].fingerprint';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface ReconcileRangesItemsFieldEvent {
        field: '$.ranges[].items';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface ReconcileRangesWantedFieldEvent {
        field: '$.ranges[].wanted';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface ReconcileRangesListedFieldEvent {
        field: '$.ranges[].listed';
        value: boolean;
        index: number;
    }
    function encode(obj: Partial<Reconcile>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Reconcile>): Reconcile;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Reconcile>): Generator<ReconcileRoundFieldEvent | ReconcileRangesFromFieldEvent | ReconcileRangesToFieldEvent | ReconcileRangesCountFieldEvent | ReconcileRangesFingerprintFieldEvent | ReconcileRangesItemsFieldEvent | ReconcileRangesWantedFieldEvent | ReconcileRangesListedFieldEvent>;
}
export interface Range {
    from: number;
    to: number;
    count: number;
    fingerprint: Uint8Array<ArrayBuffer>;
    items: Uint8Array<ArrayBuffer>;
    wanted: Uint8Array<ArrayBuffer>;
    listed: boolean;
}
export declare namespace Range {
    const codec: () => Codec<Range>;
    interface RangeFromFieldEvent {
        field: '$.from';
        value: number;
    }
    interface RangeToFieldEvent {
        field: '$.to';
        value: number;
    }
    interface RangeCountFieldEvent {
        field: '$.count';
        value: number;
    }
    interface RangeFingerprintFieldEvent {
        field: '$.fingerprint';
        value: Uint8Array<ArrayBuffer>;
    }
    interface RangeItemsFieldEvent {
        field: '$.items';
        value: Uint8Array<ArrayBuffer>;
    }
    interface RangeWantedFieldEvent {
        field: '$.wanted';
        value: Uint8Array<ArrayBuffer>;
    }
    interface RangeListedFieldEvent {
        field: '$.listed';
        value: boolean;
    }
    function encode(obj: Partial<Range>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Range>): Range;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Range>): Generator<RangeFromFieldEvent | RangeToFieldEvent | RangeCountFieldEvent | RangeFingerprintFieldEvent | RangeItemsFieldEvent | RangeWantedFieldEvent | RangeListedFieldEvent>;
}
export interface Facts {
    facts: Fact[];
    fresh: boolean;
}
export declare namespace Facts {
    const codec: () => Codec<Facts>;
    interface FactsFactsStatementKindFieldEvent {
        field: '$.facts[].statement.kind';
        value: number;
        index: number;
    }
    interface FactsFactsStatementSignerFieldEvent {
        field: '$.facts[].statement.signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsStatementBodyFieldEvent {
        field: '$.facts[].statement.body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsStatementSignatureFieldEvent {
        field: '$.facts[].statement.signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsCertificateSuspectFieldEvent {
        field: '$.facts[].certificate.suspect';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsCertificateIncarnationFieldEvent {
        field: '$.facts[].certificate.incarnation';
        value: number;
        index: number;
    }
    interface FactsFactsCertificateAccusersSignerFieldEvent {
        field: '$.facts[].certificate.accusers[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsCertificateAccusersHeartbeatFieldEvent {
        field: '$.facts[].certificate.accusers[].heartbeat';
        value: number;
        index: number;
    }
    interface FactsFactsCertificateAccusersSignatureFieldEvent {
        field: '$.facts[].certificate.accusers[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface FactsFactsAgeSecondsFieldEvent {
        field: '$.facts[].ageSeconds';
        value: number;
        index: number;
    }
    interface FactsFreshFieldEvent {
        field: '$.fresh';
        value: boolean;
    }
    function encode(obj: Partial<Facts>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Facts>): Facts;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Facts>): Generator<FactsFactsStatementKindFieldEvent | FactsFactsStatementSignerFieldEvent | FactsFactsStatementBodyFieldEvent | FactsFactsStatementSignatureFieldEvent | FactsFactsCertificateSuspectFieldEvent | FactsFactsCertificateIncarnationFieldEvent | FactsFactsCertificateAccusersSignerFieldEvent | FactsFactsCertificateAccusersHeartbeatFieldEvent | FactsFactsCertificateAccusersSignatureFieldEvent | FactsFactsAgeSecondsFieldEvent | FactsFreshFieldEvent>;
}
export interface Offer {
    items: Uint8Array<ArrayBuffer>;
}
export declare namespace Offer {
    const codec: () => Codec<Offer>;
    interface OfferItemsFieldEvent {
        field: '$.items';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Offer>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Offer>): Offer;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Offer>): Generator<OfferItemsFieldEvent>;
}
export interface Want {
    items: Uint8Array<ArrayBuffer>;
}
export declare namespace Want {
    const codec: () => Codec<Want>;
    interface WantItemsFieldEvent {
        field: '$.items';
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<Want>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Want>): Want;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Want>): Generator<WantItemsFieldEvent>;
}
export interface Probe {
    sequence: number;
}
export declare namespace Probe {
    const codec: () => Codec<Probe>;
    interface ProbeSequenceFieldEvent {
        field: '$.sequence';
        value: number;
    }
    function encode(obj: Partial<Probe>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Probe>): Probe;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Probe>): Generator<ProbeSequenceFieldEvent>;
}
export interface Ack {
    sequence: number;
    nextInMs: number;
    heartbeat: number;
}
export declare namespace Ack {
    const codec: () => Codec<Ack>;
    interface AckSequenceFieldEvent {
        field: '$.sequence';
        value: number;
    }
    interface AckNextInMsFieldEvent {
        field: '$.nextInMs';
        value: number;
    }
    interface AckHeartbeatFieldEvent {
        field: '$.heartbeat';
        value: number;
    }
    function encode(obj: Partial<Ack>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Ack>): Ack;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Ack>): Generator<AckSequenceFieldEvent | AckNextInMsFieldEvent | AckHeartbeatFieldEvent>;
}
export interface PingReq {
    subjects: Uint8Array<ArrayBuffer>[];
}
export declare namespace PingReq {
    const codec: () => Codec<PingReq>;
    interface PingReqSubjectsFieldEvent {
        field: '$.subjects[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<PingReq>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PingReq>): PingReq;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PingReq>): Generator<PingReqSubjectsFieldEvent>;
}
export interface PingReqAck {
    reached: Statement[];
    missed: Uint8Array<ArrayBuffer>[];
    unknown: Uint8Array<ArrayBuffer>[];
}
export declare namespace PingReqAck {
    const codec: () => Codec<PingReqAck>;
    interface PingReqAckReachedKindFieldEvent {
        field: '$.reached[].kind';
        value: number;
        index: number;
    }
    interface PingReqAckReachedSignerFieldEvent {
        field: '$.reached[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface PingReqAckReachedBodyFieldEvent {
        field: '$.reached[].body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface PingReqAckReachedSignatureFieldEvent {
        field: '$.reached[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface PingReqAckMissedFieldEvent {
        field: '$.missed[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    interface PingReqAckUnknownFieldEvent {
        field: '$.unknown[]';
        index: number;
        value: Uint8Array<ArrayBuffer>;
    }
    function encode(obj: Partial<PingReqAck>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PingReqAck>): PingReqAck;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<PingReqAck>): Generator<PingReqAckReachedKindFieldEvent | PingReqAckReachedSignerFieldEvent | PingReqAckReachedBodyFieldEvent | PingReqAckReachedSignatureFieldEvent | PingReqAckMissedFieldEvent | PingReqAckUnknownFieldEvent>;
}
export interface Alarm {
    statements: Statement[];
}
export declare namespace Alarm {
    const codec: () => Codec<Alarm>;
    interface AlarmStatementsKindFieldEvent {
        field: '$.statements[].kind';
        value: number;
        index: number;
    }
    interface AlarmStatementsSignerFieldEvent {
        field: '$.statements[].signer';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface AlarmStatementsBodyFieldEvent {
        field: '$.statements[].body';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    interface AlarmStatementsSignatureFieldEvent {
        field: '$.statements[].signature';
        value: Uint8Array<ArrayBuffer>;
        index: number;
    }
    function encode(obj: Partial<Alarm>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Alarm>): Alarm;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Alarm>): Generator<AlarmStatementsKindFieldEvent | AlarmStatementsSignerFieldEvent | AlarmStatementsBodyFieldEvent | AlarmStatementsSignatureFieldEvent>;
}
export interface Signal {
    reference: number;
    name: string;
}
export declare namespace Signal {
    const codec: () => Codec<Signal>;
    interface SignalReferenceFieldEvent {
        field: '$.reference';
        value: number;
    }
    interface SignalNameFieldEvent {
        field: '$.name';
        value: string;
    }
    function encode(obj: Partial<Signal>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Signal>): Signal;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Signal>): Generator<SignalReferenceFieldEvent | SignalNameFieldEvent>;
}
export interface SignalAck {
    reference: number;
}
export declare namespace SignalAck {
    const codec: () => Codec<SignalAck>;
    interface SignalAckReferenceFieldEvent {
        field: '$.reference';
        value: number;
    }
    function encode(obj: Partial<SignalAck>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<SignalAck>): SignalAck;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<SignalAck>): Generator<SignalAckReferenceFieldEvent>;
}
export interface Goodbye {
    reason: string;
}
export declare namespace Goodbye {
    const codec: () => Codec<Goodbye>;
    interface GoodbyeReasonFieldEvent {
        field: '$.reason';
        value: string;
    }
    function encode(obj: Partial<Goodbye>): Uint8Array<ArrayBuffer>;
    function decode(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Goodbye>): Goodbye;
    function stream(buf: Uint8Array | Uint8ArrayList, opts?: DecodeOptions<Goodbye>): Generator<GoodbyeReasonFieldEvent>;
}
