// Stand-in for an Apple framework that clients of openapi-generator import on every system except macOS. Exports the functions
// that they use, and FoundationNetworking, which is part of Foundation on Apple's systems only.
@_exported import Foundation
@_exported import FoundationNetworking

public let kUTTagClassFilenameExtension = "extension"
public let kUTTagClassMIMEType = "type"

public struct UTTag {
  public func takeRetainedValue() -> String { "" }
}

public func UTTypeCreatePreferredIdentifierForTag(_ tagClass: String, _ tag: NSString, _ type: String?) -> UTTag? { nil }
public func UTTypeCopyPreferredTagWithClass(_ identifier: String, _ tagClass: String) -> UTTag? { nil }
