"""Offers of the AWS price list, cut down to a few rows: columns, words and prices as AWS published them.

The columns of AmazonEC2 are those of its file of 2025-09-12, the rest those of comprehend's of 2026-01-16 with what the
offer adds; prices are of us-east-1, and of eu-west-2 where it says so, as public notes quote the lists of 2026.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from price_server import Route

ROOT = "/offers/v1.0/aws"
PUBLISHED = "2026-11-18T17:07:46Z"
VERSION = "20261118170746"
NOTICE = "This pricing list is for informational purposes only. All prices are subject to the additional terms"
BASE = (
    "SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,"
    "Currency,Product Family,serviceCode,Location,Location Type,Group,Group Description,usageType,operation,"
    "Region Code,serviceName"
)
EC2 = (
    "SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,"
    "Currency,RelatedTo,LeaseContractLength,PurchaseOption,OfferingClass,Product Family,serviceCode,Location,"
    "Location Type,Instance Type,Current Generation,Instance Family,vCPU,Physical Processor,Clock Speed,Memory,Storage,"
    "Network Performance,Processor Architecture,Storage Media,Volume Type,Max Volume Size,Max IOPS/volume,"
    "Max IOPS Burst Performance,Max throughput/volume,Provisioned,Tenancy,EBS Optimized,Operating System,License Model,"
    "Group,Group Description,Transfer Type,From Location,From Location Type,To Location,To Location Type,usageType,"
    "operation,AvailabilityZone,CapacityStatus,ClassicNetworkingSupport,Dedicated EBS Throughput,ECU,"
    "Elastic Graphics Type,Enhanced Networking Supported,From Region Code,GPU,GPU Memory,Instance,"
    "instanceSKU,Intel AVX2 Available,MarketOption,Normalization Size Factor,Physical Cores,Pre Installed S/W,"
    "Processor Features,Product Type,Region Code,Resource Type,serviceName,SnapshotArchiveFeeType,To Region Code,"
    "Volume API Name,VPCNetworkingSupport"
)
COLUMNS: Mapping[str, str] = {
    "AmazonEC2": EC2,
    "AmazonS3": f"{BASE},Availability,Durability,Storage Class,Volume Type",
    "AmazonEFS": f"{BASE},Access Type,Storage Class,Throughput Class",
    "AmazonFSx": f"{BASE},Deployment option,File system type,Storage type,Throughput capacity",
    "AWSDataTransfer": f"{BASE},Transfer Type,From Location,From Location Type,To Location,To Location Type,"
    "From Region Code,To Region Code",
}
LINUX = {
    "Product Family": "Compute Instance",
    "Tenancy": "Shared",
    "Operating System": "Linux",
    "License Model": "No License required",
    "CapacityStatus": "Used",
    "Pre Installed S/W": "NA",
    "MarketOption": "OnDemand",
    "operation": "RunInstances",
}
OUT = {"Transfer Type": "AWS Outbound", "To Location": "External", "To Location Type": "Other"}
BETWEEN = {"Transfer Type": "InterRegion Outbound", "To Location Type": "AWS Region"}
LUSTRE = {"operation": "CreateFileSystem:Lustre", "File system type": "Lustre", "Storage type": "SSD"}
STANDARD = {"Volume Type": "Standard", "Storage Class": "General Purpose"}
NETWORK = {"Product Family": "Load Balancer-Network", "operation": "LoadBalancing:Network"}

Row = tuple[str, str, str, Mapping[str, str]]
ROWS: Mapping[str, tuple[Row, ...]] = {
    "AmazonEC2": (
        ("EBS:VolumeUsage.gp3", "GB-Mo", "0.0800000000", {"Product Family": "Storage", "Volume API Name": "gp3"}),
        (
            "EBS:VolumeUsage.gp3",
            "GB-Mo",
            "0.1000000000",
            {"Region Code": "us-east-1-atl-1", "Location Type": "AWS Local Zone"},
        ),
        ("EBS:VolumeP-IOPS.gp3", "IOPS-Mo", "0.0050000000", {"Group": "EBS IOPS"}),
        ("EBS:VolumeP-Throughput.gp3", "GiBps-mo", "40.9600000000", {"Product Family": "Provisioned Throughput"}),
        ("EBS:VolumeUsage.io2", "GB-Mo", "0.1250000000", {"Product Family": "Storage"}),
        ("EBS:VolumeP-IOPS.io2", "IOPS-Mo", "0.0650000000", {}),
        ("EBS:VolumeP-IOPS.io2.tier2", "IOPS-Mo", "0.0455000000", {}),
        ("EBS:SnapshotUsage", "GB-Mo", "0.0500000000", {}),
        ("NatGateway-Hours", "Hrs", "0.0450000000", {"Product Family": "NAT Gateway", "operation": "NatGateway"}),
        ("NatGateway-Bytes", "GB", "0.0450000000", {"Product Family": "NAT Gateway", "operation": "NatGateway"}),
        ("RegionalNatGateway-Hours", "Hrs", "0.0900000000", {"operation": "RegionalNatGateway"}),
        ("BoxUsage:m5.xlarge", "Hrs", "0.1920000000", {**LINUX, "Instance Type": "m5.xlarge"}),
        ("BoxUsage:p5.48xlarge", "Hrs", "55.0400000000", {**LINUX, "Instance Type": "p5.48xlarge"}),
        (
            "BoxUsage:p5.48xlarge",
            "Hrs",
            "0.0000000000",
            {**LINUX, "Instance Type": "p5.48xlarge", "MarketOption": "CapacityBlock"},
        ),
        (
            "BoxUsage:m5.xlarge",
            "Hrs",
            "0.0000000000",
            {**LINUX, "Instance Type": "m5.xlarge", "CapacityStatus": "UnusedCapacityReservation"},
        ),
        (
            "BoxUsage:m5.xlarge",
            "Hrs",
            "0.3760000000",
            {**LINUX, "Instance Type": "m5.xlarge", "Operating System": "Windows", "operation": "RunInstances:0002"},
        ),
        (
            "DedicatedUsage:m5.xlarge",
            "Hrs",
            "0.2040000000",
            {**LINUX, "Instance Type": "m5.xlarge", "Tenancy": "Dedicated"},
        ),
        (
            "BoxUsage:m5.metal",
            "Hrs",
            "4.6080000000",
            {**LINUX, "Instance Type": "m5.metal", "Product Family": "Compute Instance (bare metal)"},
        ),
        (
            "BoxUsage:m5.xlarge",
            "Hrs",
            "0.1210000000",
            {**LINUX, "Instance Type": "m5.xlarge", "TermType": "Reserved", "LeaseContractLength": "1yr"},
        ),
    ),
    "AmazonVPC": (
        ("USE1-PublicIPv4:InUseAddress", "Hrs", "0.0050000000", {"Group": "VPCPublicIPv4Address"}),
        ("USE1-PublicIPv4:IdleAddress", "Hrs", "0.0050000000", {"Group": "VPCPublicIPv4Address"}),
        ("USE1-VpcEndpoint-Hours", "Hrs", "0.0100000000", {"operation": "VpcEndpoint"}),
        ("VPN-Usage-Hours:ipsec.1", "Hrs", "0.0500000000", {"operation": "CreateVpnConnection"}),
        ("USE1-VPN-large-Usage-Hours:ipsec.1", "Hrs", "0.6000000000", {"operation": "CreateVpnConnection"}),
        ("USE1-TransitGateway-Hours", "hour", "0.0500000000", {"operation": "TransitGatewayVPC"}),
        ("USE1-TransitGateway-Hours", "hour", "0.0500000000", {"operation": "TransitGatewayVPN"}),
        ("USE1-TransitGateway-Bytes", "GigaBytes", "0.0200000000", {"operation": "TransitGatewayVPC"}),
    ),
    "AWSELB": (
        ("LoadBalancerUsage", "Hrs", "0.0225000000", NETWORK),
        ("LCUUsage", "LCU-Hrs", "0.0060000000", NETWORK),
        ("LoadBalancerUsage", "Hrs", "0.0225000000", {"operation": "LoadBalancing:Application"}),
        ("TS-LoadBalancerUsage", "Hrs", "0.0050000000", NETWORK),
        ("Outposts-LoadBalancerUsage", "Hrs", "0.0225000000", {**NETWORK, "Location Type": "AWS Outposts"}),
        ("LoadBalancerUsage", "Hrs", "0.0250000000", {"operation": "LoadBalancing"}),
    ),
    "AmazonS3": (
        ("TimedStorage-ByteHrs", "GB-Mo", "0.0230000000", {**STANDARD, "EndingRange": "51200"}),
        (
            "TimedStorage-ByteHrs",
            "GB-Mo",
            "0.0220000000",
            {**STANDARD, "StartingRange": "51200", "EndingRange": "512000"},
        ),
        ("TimedStorage-ByteHrs", "GB-Mo", "0.0210000000", {**STANDARD, "StartingRange": "512000"}),
        ("Tables-TimedStorage-ByteHrs", "GB-Mo", "0.0265000000", {}),
        ("TimedStorage-SIA-ByteHrs", "GB-Mo", "0.0125000000", {}),
        ("TimedStorage-GlacierByteHrs", "GB-Mo", "0.0036000000", {}),
        ("TimedStorage-GlacierByteHrs", "GB-Mo", "0.0040000000", {"operation": "GlacierS3ObjectOverhead"}),
        ("Requests-Tier1", "Requests", "0.0000050000", {"Group": "S3-API-Tier1"}),
        ("Requests-Tier2", "Requests", "0.0000004000", {"Group": "S3-API-Tier2"}),
    ),
    "AmazonEFS": (
        ("TimedStorage-ByteHrs", "GB-Mo", "0.3000000000", {"Storage Class": "General Purpose"}),
        ("IATimedStorage-ByteHrs", "GB-Mo", "0.0250000000", {"Storage Class": "Infrequent Access"}),
    ),
    "AmazonFSx": (
        ("USE1-Storage.SSD.125", "GB-Mo", "0.1450000000", {**LUSTRE, "Throughput capacity": "125"}),
        ("USE1-Storage.SSD.250", "GB-Mo", "0.2100000000", {**LUSTRE, "Throughput capacity": "250"}),
        ("USE1-Storage", "GB-Mo", "0.1400000000", {**LUSTRE, "Deployment option": "Single-AZ"}),
        ("USE1-Storage", "GB-Mo", "0.1300000000", {"operation": "CreateFileSystem:Windows"}),
    ),
    "AmazonCloudWatch": (
        ("DataProcessing-Bytes", "GB", "0.5000000000", {"Group": "Ingested Logs"}),
        ("USE1-VendedLog-Bytes", "GB", "0.5000000000", {}),
        ("TimedStorage-ByteHrs", "GB-Mo", "0.0300000000", {}),
    ),
    "AWSDataTransfer": (
        ("DataTransfer-Out-Bytes", "GB", "0.0900000000", {**OUT, "EndingRange": "10240"}),
        ("DataTransfer-Out-Bytes", "GB", "0.0850000000", {**OUT, "StartingRange": "10240"}),
        ("DataTransfer-Out-Bytes", "GB", "0.0700000000", {**OUT, "StartingRange": "51200"}),
        ("DataTransfer-Out-Bytes", "GB", "0.0500000000", {**OUT, "StartingRange": "153600"}),
        ("Global-DataTransfer-Out-Bytes", "GB", "0.0000000000", {**OUT, "EndingRange": "100", "From Region Code": ""}),
        ("DataTransfer-Regional-Bytes", "GB", "0.0100000000", {"Transfer Type": "IntraRegion"}),
        ("USE1-USE2-AWS-Out-Bytes", "GB", "0.0100000000", BETWEEN),
        ("USE1-EU-AWS-Out-Bytes", "GB", "0.0200000000", BETWEEN),
        ("USE1-EUC1-AWS-Out-Bytes", "GB", "0.0200000000", BETWEEN),
    ),
    "AmazonEKS": (
        ("USE1-AmazonEKS-Hours:perCluster", "Hours", "0.1000000000", {"operation": "CreateOperation"}),
        ("USE1-AmazonEKS-Hours:extendedSupport", "Hours", "0.5000000000", {"operation": "ExtendedSupport"}),
    ),
    "awskms": (
        ("us-east-1-KMS-Keys", "Keys", "1.0000000000", {}),
        ("us-east-1-KMS-Requests", "Requests", "0.0000030000", {"StartingRange": "20000"}),
    ),
}


def offer_text(offer: str, rows: Iterable[Row] | None = None, *, published: str = PUBLISHED) -> str:
    """The file of an offer in us-east-1."""
    header = COLUMNS.get(offer, BASE).split(",")
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    preamble = {"FormatVersion": "v1.0", "Disclaimer": NOTICE, "Publication Date": published, "Version": VERSION}
    writer.writerows([*preamble.items(), ("OfferCode", offer), header])
    for number, (usage, unit, price, more) in enumerate(ROWS[offer] if rows is None else rows):
        sku = f"{number:016d}"
        row = {
            "SKU": sku,
            "OfferTermCode": "JRTCKXETXF",
            "RateCode": f"{sku}.JRTCKXETXF.6YS6EN2CT7",
            "TermType": "OnDemand",
            "EffectiveDate": "2026-11-01",
            "StartingRange": "0",
            "EndingRange": "Inf",
            "Unit": unit,
            "PricePerUnit": price,
            "Currency": "USD",
            "serviceCode": offer,
            "Location Type": "AWS Region",
            "From Location Type": "AWS Region",
            "usageType": usage,
            "Region Code": "us-east-1",
            "From Region Code": "us-east-1",
            **more,
        }
        writer.writerow([row.get(name, "") for name in header])
    return text.getvalue()


def index(offer: str, *regions: str) -> Mapping[str, object]:
    """The regions in which an offer is sold."""
    paths = {name: f"{ROOT}/{offer}/{VERSION}/{name}/index.json" for name in regions}
    return {
        "formatVersion": "v1.0",
        "publicationDate": PUBLISHED,
        "regions": {name: {"regionCode": name, "currentVersionUrl": path} for name, path in paths.items()},
    }


def offer_routes(offers: Iterable[str] = ROWS, **texts: Route) -> dict[str, Route]:
    """What a server of these offers answers; `texts` takes the place of an offer's file."""
    routes: dict[str, Route] = {}
    for offer in offers:
        routes[f"{ROOT}/{offer}/current/region_index.json"] = index(offer, "us-east-1", "us-east-1-atl-1")
        routes[f"{ROOT}/{offer}/{VERSION}/us-east-1/index.csv"] = texts.get(offer, offer_text(offer))
    return routes
