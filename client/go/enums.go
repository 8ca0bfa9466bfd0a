// SPDX-License-Identifier: Apache-2.0

package quadrille

import pb "quadrille.example/quadrille/quadrillev1"

// The enums of the protocol. quadrille.proto documents each value.
type (
	// ErrorCode is why the server refuses something; proto/README.md has causes and fixes.
	ErrorCode = pb.ErrorCode
	// EndReason is why a pair ended.
	EndReason = pb.EndReason
	// LeaveReason is why an entity left a view.
	LeaveReason = pb.LeaveReason
	// Shape is the shape of an entity.
	Shape = pb.Shape
	// Region is the region of an observer.
	Region = pb.Observe_Region
	// Scope is which pairs a subscription has.
	Scope = pb.Subscribe_Scope
	// Watch is whose watchers the reverse view has.
	Watch = pb.SetViewOptions_Watch
	// TickMode is the source of a room's ticks.
	TickMode = pb.TickMode
	// Index is how a room finds entities that may touch.
	Index = pb.Index
	// Access is which sessions may do something in a room.
	Access = pb.Access
	// Visibility is why an observer sees an entity, or does not.
	Visibility = pb.Visibility
)

// Values of ErrorCode.
const (
	CodeMalformed       = pb.ErrorCode_ERROR_CODE_MALFORMED
	CodeFrameTooLong    = pb.ErrorCode_ERROR_CODE_FRAME_TOO_LONG
	CodeNoHello         = pb.ErrorCode_ERROR_CODE_NO_HELLO
	CodeVersion         = pb.ErrorCode_ERROR_CODE_VERSION
	CodeUnauthenticated = pb.ErrorCode_ERROR_CODE_UNAUTHENTICATED
	CodeUnknownMessage  = pb.ErrorCode_ERROR_CODE_UNKNOWN_MESSAGE
	CodeInvalid         = pb.ErrorCode_ERROR_CODE_INVALID
	CodeColumns         = pb.ErrorCode_ERROR_CODE_COLUMNS
	CodeUnknownRoom     = pb.ErrorCode_ERROR_CODE_UNKNOWN_ROOM
	CodeConfigMismatch  = pb.ErrorCode_ERROR_CODE_CONFIG_MISMATCH
	CodeNotAllowed      = pb.ErrorCode_ERROR_CODE_NOT_ALLOWED
	CodeLimit           = pb.ErrorCode_ERROR_CODE_LIMIT
	CodeNotStepMode     = pb.ErrorCode_ERROR_CODE_NOT_STEP_MODE
	CodeWrongTick       = pb.ErrorCode_ERROR_CODE_WRONG_TICK
	CodeTickOver        = pb.ErrorCode_ERROR_CODE_TICK_OVER
	CodeUnknownRoster   = pb.ErrorCode_ERROR_CODE_UNKNOWN_ROSTER
	CodeQuotaSession    = pb.ErrorCode_ERROR_CODE_QUOTA_SESSION
	CodeQuotaToken      = pb.ErrorCode_ERROR_CODE_QUOTA_TOKEN
	CodeQuotaAddress    = pb.ErrorCode_ERROR_CODE_QUOTA_ADDRESS
	CodeUnknownID       = pb.ErrorCode_ERROR_CODE_UNKNOWN_ID
	CodeIDTaken         = pb.ErrorCode_ERROR_CODE_ID_TAKEN
	CodeNotOwner        = pb.ErrorCode_ERROR_CODE_NOT_OWNER
	CodeNotFinite       = pb.ErrorCode_ERROR_CODE_NOT_FINITE
	CodeNegativeSize    = pb.ErrorCode_ERROR_CODE_NEGATIVE_SIZE
	CodeUnknownShape    = pb.ErrorCode_ERROR_CODE_UNKNOWN_SHAPE
	CodeRoomFull        = pb.ErrorCode_ERROR_CODE_ROOM_FULL
	CodeUnknownObserver = pb.ErrorCode_ERROR_CODE_UNKNOWN_OBSERVER
	CodeBadRegion       = pb.ErrorCode_ERROR_CODE_BAD_REGION
	CodeObserversFull   = pb.ErrorCode_ERROR_CODE_OBSERVERS_FULL
	CodeWrongColumn     = pb.ErrorCode_ERROR_CODE_WRONG_COLUMN
)

// Values of EndReason.
const (
	EndRoomClosed = pb.EndReason_END_REASON_ROOM_CLOSED
	EndExpired    = pb.EndReason_END_REASON_EXPIRED
	EndDespawned  = pb.EndReason_END_REASON_DESPAWNED
	EndFiltered   = pb.EndReason_END_REASON_FILTERED
	EndResized    = pb.EndReason_END_REASON_RESIZED
	EndTeleported = pb.EndReason_END_REASON_TELEPORTED
	EndMovedApart = pb.EndReason_END_REASON_MOVED_APART
)

// Values of LeaveReason.
const (
	LeaveRoomClosed = pb.LeaveReason_LEAVE_REASON_ROOM_CLOSED
	LeaveObserver   = pb.LeaveReason_LEAVE_REASON_OBSERVER
	LeaveExpired    = pb.LeaveReason_LEAVE_REASON_EXPIRED
	LeaveDespawned  = pb.LeaveReason_LEAVE_REASON_DESPAWNED
	LeaveExcepted   = pb.LeaveReason_LEAVE_REASON_EXCEPTED
	LeaveHidden     = pb.LeaveReason_LEAVE_REASON_HIDDEN
	LeaveFiltered   = pb.LeaveReason_LEAVE_REASON_FILTERED
	LeaveTeam       = pb.LeaveReason_LEAVE_REASON_TEAM
	LeaveRange      = pb.LeaveReason_LEAVE_REASON_RANGE
	LeaveLimit      = pb.LeaveReason_LEAVE_REASON_LIMIT
)

// Values of Shape.
const (
	ShapeBox     = pb.Shape_SHAPE_BOX
	ShapeCircle  = pb.Shape_SHAPE_CIRCLE
	ShapeCapsule = pb.Shape_SHAPE_CAPSULE
)

// Values of Region.
const (
	RegionCircle = pb.Observe_REGION_CIRCLE
	RegionBox    = pb.Observe_REGION_BOX
	RegionCone   = pb.Observe_REGION_CONE
)

// Values of Scope.
const (
	ScopeAll = pb.Subscribe_SCOPE_ALL
	ScopeOwn = pb.Subscribe_SCOPE_OWN
)

// Values of Watch.
const (
	WatchNone = pb.SetViewOptions_WATCH_NONE
	WatchOwn  = pb.SetViewOptions_WATCH_OWN
	WatchAll  = pb.SetViewOptions_WATCH_ALL
)

// Values of TickMode.
const (
	TickModeClock = pb.TickMode_TICK_MODE_CLOCK
	TickModeStep  = pb.TickMode_TICK_MODE_STEP
)

// Values of Index.
const (
	IndexAuto     = pb.Index_INDEX_AUTO
	IndexQuadtree = pb.Index_INDEX_QUADTREE
	IndexOctree   = pb.Index_INDEX_OCTREE
	IndexSparse   = pb.Index_INDEX_SPARSE
	IndexHash     = pb.Index_INDEX_HASH
	IndexGrid     = pb.Index_INDEX_GRID
	IndexBrute    = pb.Index_INDEX_BRUTE
)

// Values of Access.
const (
	AccessAnybody   = pb.Access_ACCESS_ANYBODY
	AccessSameToken = pb.Access_ACCESS_SAME_TOKEN
	AccessCreator   = pb.Access_ACCESS_CREATOR
)

// Values of Visibility.
const (
	VisibilitySeen         = pb.Visibility_VISIBILITY_SEEN
	VisibilitySeenByShow   = pb.Visibility_VISIBILITY_SEEN_BY_SHOW
	VisibilitySeenByMargin = pb.Visibility_VISIBILITY_SEEN_BY_MARGIN
	VisibilityNotExcepted  = pb.Visibility_VISIBILITY_NOT_EXCEPTED
	VisibilityNotHidden    = pb.Visibility_VISIBILITY_NOT_HIDDEN
	VisibilityNotSelf      = pb.Visibility_VISIBILITY_NOT_SELF
	VisibilityNotMask      = pb.Visibility_VISIBILITY_NOT_MASK
	VisibilityNotTeam      = pb.Visibility_VISIBILITY_NOT_TEAM
	VisibilityNotRange     = pb.Visibility_VISIBILITY_NOT_RANGE
	VisibilityNotAngle     = pb.Visibility_VISIBILITY_NOT_ANGLE
	VisibilityNotLimit     = pb.Visibility_VISIBILITY_NOT_LIMIT
	VisibilityNotBudget    = pb.Visibility_VISIBILITY_NOT_BUDGET
	VisibilityNotYet       = pb.Visibility_VISIBILITY_NOT_YET
)
